"""What the answer to a Responses request depends on besides the turn."""

from collections.abc import Mapping
from dataclasses import dataclass

from coderelay.conversation import DialectState, TurnRequest
from coderelay.core import Json


@dataclass(frozen=True, slots=True)
class ResponsesState(DialectState):
    """What a request says about its answer.

    - `echo` are the fields of the request that the answer repeats.
    - `wants_reasoning` says whether the client gets the model's reasoning.
    """

    echo: Mapping[str, Json]
    wants_reasoning: bool


def state_of(request: TurnRequest) -> ResponsesState:
    """Return the state of a request that this dialect has decoded."""
    assert isinstance(request.dialect_state, ResponsesState)
    return request.dialect_state
