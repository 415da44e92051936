"""One turn: a conversation, a model and the engines give new entries."""

from coderelay.gateway.gateway import Gateway, RunBlocking

__all__ = ["Gateway", "RunBlocking"]
