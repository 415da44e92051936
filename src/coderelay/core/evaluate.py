"""Drives an execution through a journal; live and replayed are the same steps."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from coderelay.core.call import Call, Result, Returned
from coderelay.core.errors import RequestError
from coderelay.core.host_work import Work
from coderelay.core.journal import Journal, check, ended_early
from coderelay.core.made_calls import MadeCalls
from coderelay.core.outcome import Failed, Outcome, Suspended


class Execution(Protocol):
    """One program under way in an engine."""

    def advance(self, results: Sequence[Result]) -> Outcome:
        """Deliver the last batch's results (none at first) and run until the program can go
        no further."""

    def charge(self, fuel: int) -> Outcome:
        """Take fuel from a suspended program, for work that the host did for its calls. The
        outcome is the same suspension, or a failure where that fuel is not left."""

    def close(self) -> None:
        """Drop the execution and all it holds. Closing twice is no error."""


class CallHost(Protocol):
    """Answers the calls that the client never sees."""

    def answer(self, call: Call, work: Work) -> Result | None:
        """The answer, the same on every replay; None where the call is the client's.

        What the answer costs is added to `work`. That too is the same on every replay: a count
        that follows from the call and the tools, never a time.
        """


class Run:
    """A program's way through its calls: feed it answered calls, it says what comes next.

    Whether entries come one by one, batch by batch or all at once, the execution takes the same
    steps: a batch is delivered when its last result is there, whole and in call order.
    """

    def __init__(self, execution: Execution, host: CallHost) -> None:
        self._execution = execution
        self._host = host
        self._outcome: Outcome | None = None
        self._results: list[Result | None] = []
        self._open: list[tuple[int, Call]] = []
        self._made = 0
        self._succeeded = MadeCalls()

    def proceed(self, entries: Journal) -> Outcome:
        """Take the next answered calls and run on. `Suspended` holds the calls not yet answered,
        with the index that the client knows them by.

        Where it is interrupted, as by Ctrl-C, nobody knows how far it came: the run is over.
        """
        try:
            return self._proceed(entries)
        except RequestError:
            raise
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Drop the execution."""
        self._execution.close()

    def _proceed(self, entries: Journal) -> Outcome:
        outcome = self._outcome or self._advance([])
        for entry in entries:
            if not self._open:
                raise ended_early(self._made, entry)
            place, call = self._open[0]
            check(call, entry)
            self._results[place] = entry.result
            if isinstance(entry.result, Returned):
                self._succeeded.add(call.name, call.arguments)
            del self._open[0]
            if not self._open:
                outcome = self._advance([r for r in self._results if r is not None])
        if isinstance(outcome, Suspended):
            waiting = tuple(call for _, call in self._open)
            return Suspended(waiting, outcome.logs, outcome.fuel)
        return outcome

    def _advance(self, results: Sequence[Result]) -> Outcome:
        """Run until the client is needed or the program has ended."""
        while True:
            outcome = self._outcome = self._execution.advance(results)
            if isinstance(outcome, Suspended):
                outcome = self._outcome = self._sort(outcome)
            if isinstance(outcome, Failed):
                error = replace(outcome.error, calls=self._succeeded.text())
                outcome = self._outcome = replace(outcome, error=error)
            if self._open or not isinstance(outcome, Suspended):
                return outcome
            results = [result for result in self._results if result is not None]

    def _sort(self, outcome: Suspended) -> Outcome:
        """Part a batch into what the host answers and what the client must. The program pays for
        each answer before the host works on the next one."""
        self._results = []
        open_calls: list[tuple[int, Call]] = []
        charged: Outcome = outcome
        for place, call in enumerate(outcome.calls):
            work = Work()
            result = self._host.answer(call, work)
            if work.fuel:
                charged = self._execution.charge(work.fuel)
                if not isinstance(charged, Suspended):
                    return charged
            self._results.append(result)
            if result is None:
                number = self._made + len(open_calls)
                open_calls.append((place, Call(number, call.name, call.arguments)))
        self._open = open_calls
        self._made += len(open_calls)
        return charged


def evaluate(execution: Execution, journal: Journal, host: CallHost) -> Outcome:
    """Run a fresh execution through a journal and close it: the whole of a stateless step."""
    run = Run(execution, host)
    try:
        return run.proceed(journal)
    finally:
        run.close()


__all__ = ["CallHost", "Execution", "Run", "evaluate"]
