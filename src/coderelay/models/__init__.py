"""The upstream model, and a scripted one in its place."""

from coderelay.models.model import Delta, Model
from coderelay.models.scripted_model import ScriptedAnswer, ScriptedModel
from coderelay.models.upstream import Upstream

__all__ = ["Delta", "Model", "ScriptedAnswer", "ScriptedModel", "Upstream"]
