"""The model behind an endpoint, and a scripted one in its place."""

from coderelay.models.chat_client import ChatClient
from coderelay.models.model import Delta, Model
from coderelay.models.scripted_model import ScriptedAnswer, ScriptedModel

__all__ = ["ChatClient", "Delta", "Model", "ScriptedAnswer", "ScriptedModel"]
