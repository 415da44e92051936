"""The upstream model, and a scripted one in its place."""

from coderelay.models.protocol import Delta, Model
from coderelay.models.scripted import Answer, ScriptedModel
from coderelay.models.upstream import Upstream

__all__ = ["Answer", "Delta", "Model", "ScriptedModel", "Upstream"]
