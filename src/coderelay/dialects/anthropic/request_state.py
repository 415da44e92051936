"""What the answer to a Messages request depends on besides the turn."""

from dataclasses import dataclass

from coderelay.conversation import DialectState, TurnRequest


@dataclass(frozen=True, slots=True)
class AnthropicState(DialectState):
    """What a request says about its answer.

    - `caller` is the type of the caller in calls of programs, or None if the client did not declare
      code execution.
    - `container` is the id of the container that the client sent, if any.
    - `wants_reasoning` says whether the client gets the model's reasoning.
    """

    caller: str | None
    container: str | None
    wants_reasoning: bool


def state_of(request: TurnRequest) -> AnthropicState:
    """Return the state of a request that this dialect has decoded."""
    assert isinstance(request.dialect_state, AnthropicState)
    return request.dialect_state
