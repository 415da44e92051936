"""Whatever prefix of a journal a program is run from, it comes to where the live run was."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from coderelay.core import Journal, Outcome, Program, Suspended, Tool
from coderelay.programs import evaluate


@dataclass(frozen=True, slots=True)
class Replay:
    """One run from a prefix of the journal, beside what the live run came to at that point."""

    answers: int
    outcome: Outcome
    live: Outcome

    @property
    def same(self) -> bool:
        """Whether calls, value, error, logs and fuel are all equal."""
        return self.outcome == self.live


def replays(
    program: Program, tools: Sequence[Tool], journal: Journal, steps: Sequence[Outcome]
) -> Iterator[Replay]:
    """Run a program through every prefix of its journal; `steps` are the live outcomes."""
    for answers in range(len(journal) + 1):
        outcome = evaluate(program, tools, journal[:answers])
        yield Replay(answers, outcome, live_outcome(steps, answers))


def live_outcome(steps: Sequence[Outcome], answers: int) -> Outcome:
    """The outcome of the live run after that many answers, also inside a batch."""
    for outcome in steps:
        if not isinstance(outcome, Suspended):
            return outcome
        waiting = tuple(call for call in outcome.calls if call.index >= answers)
        if waiting:
            return replace(outcome, calls=waiting)
    raise ValueError(f"the live run never came to {answers} answers")
