"""The old name of `coderelay.models.scripted_model`, kept for one release."""

from coderelay.models.scripted_model import Script, ScriptedModel
from coderelay.models.scripted_model import ScriptedAnswer as Answer

__all__ = ["Answer", "Script", "ScriptedModel"]
