"""An engine whose programs are Python generators, for tests without a sandbox.

A script yields the calls of a batch as `(name, arguments)` pairs, receives their results, and
returns the program's value:

    def news() -> Script:
        (result,) = yield [("web_search", {"query": "news"})]
        return result.value

    engine = ScriptedEngine({"the source": news})
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TypeAlias

from coderelay.core import (
    DEFAULT_LIMITS,
    Call,
    Completed,
    Failed,
    Failure,
    Json,
    Limits,
    Log,
    Outcome,
    Program,
    Raised,
    Result,
    Suspended,
    ToolName,
)

Batch: TypeAlias = Sequence[tuple[str, Json]]
Script: TypeAlias = Generator[Batch | Log, Sequence[Result], Json]


class ScriptedFailure(Exception):
    """Raise it in a script to end the program with a failure."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class ScriptedEngine:
    """Runs the script that is registered for a program's source."""

    fingerprint = "scripted"

    def __init__(self, scripts: Mapping[str, Callable[[], Script]], language: str = "scripted"):
        self.language = language
        self._scripts = scripts

    def start(
        self, program: Program, names: Sequence[ToolName], limits: Limits
    ) -> "ScriptedExecution":
        """Return an execution of the script that is registered for the program's source."""
        return ScriptedExecution(self._scripts[program.source](), limits)


class ScriptedExecution:
    """An execution of a script. `steps` counts its calls of `advance`; each costs 1 fuel."""

    def __init__(self, script: Script, limits: Limits = DEFAULT_LIMITS) -> None:
        self._script = script
        self._limits = limits
        self._charged = 0
        self._calls: tuple[Call, ...] = ()
        self._made = 0
        self._logs: list[Log] = []
        self.steps = 0
        self.closed = False

    def advance(self, results: Sequence[Result]) -> Outcome:
        """Send the results to the script, and return its next batch of calls or its end."""
        self.steps += 1
        try:
            yielded = self._script.send(results) if self.steps > 1 else next(self._script)
            while isinstance(yielded, Log):
                self._logs.append(yielded)
                yielded = next(self._script)
        except StopIteration as stop:
            return Completed(stop.value, tuple(self._logs), self._fuel)
        except ScriptedFailure as failed:
            return Failed(failed.failure, tuple(self._logs), self._fuel)
        self._calls = tuple(
            Call(self._made + place, name, arguments)
            for place, (name, arguments) in enumerate(yielded)
        )
        self._made += len(self._calls)
        return Suspended(self._calls, tuple(self._logs), self._fuel)

    def charge(self, fuel: int) -> Outcome:
        """Add to the fuel that was used. The program fails if that exceeds the limit."""
        self._charged += fuel
        if self._fuel > self._limits.fuel:
            self.close()
            failure = Failure("limit", "out of fuel", name="LimitError", limit="fuel")
            return Failed(failure, tuple(self._logs), self._limits.fuel)
        return Suspended(self._calls, tuple(self._logs), self._fuel)

    @property
    def _fuel(self) -> int:
        return self.steps + self._charged

    def close(self) -> None:
        """Close the script's generator."""
        self.closed = True
        self._script.close()


def value(result: Result) -> Json:
    """Return a result's value. For an error, end the script with a failure, as an exception that
    nothing catches ends a program."""
    if isinstance(result, Raised):
        error = result.error
        raise ScriptedFailure(Failure(error.kind, error.message, name=error.name))
    return result.value
