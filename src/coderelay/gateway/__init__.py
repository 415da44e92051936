"""One turn: a conversation, a model and the engines give new entries."""

from coderelay.gateway.gateway import Gateway
from coderelay.models.large_work import RunBlocking

__all__ = ["Gateway", "RunBlocking"]
