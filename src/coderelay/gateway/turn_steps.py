"""The steps of a turn, and the order in which the driver reports their results."""

from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from coderelay.conversation import CodeBlock, ConversationEntry
from coderelay.conversation.program_state import ProgramState
from coderelay.core import Json


@dataclass(frozen=True, slots=True)
class RunProgram:
    """Run a program from its start with the answers in its block's journal."""

    state: ProgramState
    block: CodeBlock


@dataclass(frozen=True, slots=True)
class ReplayPrograms:
    """Compute the outcomes of finished programs that the history does not contain."""

    entries: tuple[ConversationEntry, ...]


@dataclass(frozen=True, slots=True)
class AskModel:
    """Send a Chat Completions request to the model."""

    body: dict[str, Json]


@dataclass(frozen=True, slots=True)
class Done:
    """The turn is over; its last event is the `TurnReply`."""


Step: TypeAlias = RunProgram | ReplayPrograms | AskModel | Done


@dataclass(frozen=True, slots=True)
class NotStarted:
    """Stands for the last step of a turn that has returned none yet."""


_EXPECTED_CALLS: dict[type[Step | NotStarted], str] = {
    NotStarted: "start()",
    RunProgram: "program_stopped()",
    ReplayPrograms: "programs_replayed()",
    AskModel: "model_sent() or model_answered()",
    Done: "no more calls, because it is over",
}
_Expected = TypeVar("_Expected", NotStarted, RunProgram, ReplayPrograms, AskModel)


class StepOrder:
    """Remembers the last step of a turn, and refuses calls that do not belong to it."""

    def __init__(self) -> None:
        self._last: Step | NotStarted = NotStarted()

    def go_to(self, step: Step) -> Step:
        """Make this the last step, and return it."""
        self._last = step
        return step

    def check(self, call: str, kind: type[_Expected]) -> _Expected:
        """Return the last step if it is of this kind. Otherwise `call` came out of order: then
        raise `RuntimeError`."""
        if isinstance(self._last, kind):
            return self._last
        expected = _EXPECTED_CALLS[type(self._last)]
        raise RuntimeError(f"Turn.{call}() was called out of order: the turn expects {expected}")

    def end(self, call: str, kind: type[_Expected]) -> _Expected:
        """Check the last step and return it, because `call` reports its result. If that raises an
        error instead of leading to the next step, the turn is over."""
        step = self.check(call, kind)
        self._last = Done()
        return step
