"""Runs a program through a journal, in the same steps whether it runs live or is replayed."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from coderelay.core.call import Call, Result, Returned
from coderelay.core.errors import RequestError
from coderelay.core.journal import Journal, check, journal_too_long
from coderelay.core.made_calls import MadeCalls
from coderelay.core.outcome import Failed, Outcome, Suspended


class Work:
    """The cost of one answer of the host so far, in fuel."""

    def __init__(self) -> None:
        self.fuel = 0

    def add(self, fuel: int) -> None:
        """Add to the cost."""
        self.fuel += fuel


class Execution(Protocol):
    """A program that an engine is running."""

    def advance(self, results: Sequence[Result]) -> Outcome:
        """Deliver the results of the last batch of calls (none the first time), and run the
        program until it needs other results or has ended."""

    def charge(self, fuel: int) -> Outcome:
        """Take fuel from a suspended program, for work that the host did for its calls.

        Returns the same suspension, or a failure if the program has not that much fuel left.
        """

    def close(self) -> None:
        """Free the execution and everything it holds. It may be closed more than once."""


class CallHost(Protocol):
    """Answers calls that are never handed out to the client, such as invalid ones."""

    def answer(self, call: Call, work: Work) -> Result | None:
        """Return the host's result for a call, or None if the client has to answer it.

        The cost of the answer is added to `work`. Result and cost must be the same on every
        replay, so the cost is computed from the call and the tools, and never measured as time.
        """


class Run:
    """A program under way: give it answered calls, and it returns what the program does next.

    The execution takes the same steps whether entries come one by one, batch by batch or all at
    once: a batch is delivered as a whole, in call order, when its last result has arrived.
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
        """Add the next answered calls and run on.

        In a `Suspended` outcome, calls have the index that the client knows them by: calls that
        the host answers are not counted.

        An interrupt, such as Ctrl-C, closes the run, because the state of the execution is then
        unknown.
        """
        try:
            return self._proceed(entries)
        except RequestError:
            raise
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the execution."""
        self._execution.close()

    def _proceed(self, entries: Journal) -> Outcome:
        outcome = self._outcome or self._advance([])
        for entry in entries:
            if not self._open:
                raise journal_too_long(self._made, entry)
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
        """Run until a call needs the client's answer or the program has ended."""
        while True:
            outcome = self._outcome = self._execution.advance(results)
            if isinstance(outcome, Suspended):
                outcome = self._outcome = self._answer_as_host(outcome)
            if isinstance(outcome, Failed):
                error = replace(outcome.error, calls=self._succeeded.text())
                outcome = self._outcome = replace(outcome, error=error)
            if self._open or not isinstance(outcome, Suspended):
                return outcome
            results = [result for result in self._results if result is not None]

    def _answer_as_host(self, outcome: Suspended) -> Outcome:
        """Let the host answer the calls of a batch that it can, and leave the others open.

        The program pays for each answer before the host works on the next one, so that a program
        without fuel cannot make the host work.
        """
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
    """Run a new execution through a journal, close it, and return the outcome.

    This is all that a server without state does for a program in one request.
    """
    run = Run(execution, host)
    try:
        return run.proceed(journal)
    finally:
        run.close()


__all__ = ["CallHost", "Execution", "Run", "evaluate"]
