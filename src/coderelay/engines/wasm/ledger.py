"""Records what a guest reports to the host, and checks it against the limits at once."""

import copy

from coderelay.core import Call, Failure, Json, Limits, Log, Returned
from coderelay.core.json_counts import TooManyValues
from coderelay.core.json_reader import read_json
from coderelay.core.json_values import NotJson, size

UNREADABLE = object()
_NOT_JSON = Failure(
    "exception",
    "the value cannot be read as JSON: give data only, and integers of over 4,300 digits as text",
    name="TypeError",
)


class Ledger:
    """A program's calls and logs so far, and its value or failure.

    Nothing that comes in is trusted, because the program shares its interpreter with our harness.
    Methods that return a bool return whether the program may continue. If not, it must be stopped
    at once.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._logged = 0
        self._made = 0
        self._waiting = 0
        self.logs: list[Log] = []
        self.batch: list[Call] = []
        self.value: Returned | None = None
        self.failure: Failure | None = None

    @property
    def settled(self) -> bool:
        """Whether the program's main function has returned or raised."""
        return self.value is not None or self.failure is not None

    def copy(self) -> "Ledger":
        """Return a copy that does not change with this ledger."""
        twin = copy.copy(self)
        twin.logs, twin.batch = list(self.logs), list(self.batch)
        return twin

    def log(self, level: str, text: str) -> bool:
        """Add one line of output."""
        length = size(text)
        if not self.has_room(length):
            return False
        self._logged += length + 1
        self.logs.append(Log(level, text))
        return True

    def has_room(self, length: int) -> bool:
        """Return whether `length` more bytes of output fit. If not, the program has failed."""
        if self._logged + length <= self._limits.logs:
            return True
        return self.exceed("logs", f"the logs are over {size_text(self._limits.logs)}: print less")

    def call(self, name: str, arguments: str) -> bool:
        """Add a tool call to the batch. `arguments` is JSON text."""
        limits = self._limits
        if self._made >= limits.calls:
            return self.exceed("calls", f"a program may make {limits.calls} calls: make fewer")
        if len(self.batch) >= limits.waiting:
            message = f"{limits.waiting} calls may wait at once: await them in smaller groups"
            return self.exceed("waiting", message)
        length = size(arguments)
        if length > limits.arguments:
            message = f"the arguments of {name} are over {size_text(limits.arguments)}: pass less"
            return self.exceed("arguments", message)
        self._waiting = length + (self._waiting if self.batch else 0)
        if self._waiting > limits.batch:
            message = f"the arguments of all waiting calls are over {size_text(limits.batch)}: "
            return self.exceed("batch", message + "await them in smaller groups")
        try:
            parsed = parse(arguments)
        except TooManyValues as error:
            return self.exceed("arguments", f"the arguments of {name}: {error}; pass less")
        # Arguments that cannot be read become null, which the tool's schema refuses with a reason.
        self.batch.append(Call(self._made, name, None if parsed is UNREADABLE else parsed))
        self._made += 1
        return True

    def complete(self, value: str) -> bool:
        """Set the program's value, which is JSON text, unless it has a value or failure already."""
        if self.settled:
            return True
        if size(value) > self._limits.value:
            message = f"the value is over {size_text(self._limits.value)}: return a summary"
            return self.exceed("value", message)
        try:
            parsed = parse(value)
        except TooManyValues as error:
            return self.exceed("value", f"the value: {error}; return a summary")
        if parsed is UNREADABLE:
            return self.fail(_NOT_JSON)
        self.value = Returned(parsed)
        return True

    def fail(self, failure: Failure) -> bool:
        """Set the program's failure, unless it has a value or failure already."""
        if not self.settled:
            self.failure = failure
        return True

    def crash(self, failure: Failure) -> None:
        """Set the failure of a program whose interpreter crashed, in place of anything before."""
        self.value, self.failure = None, failure
        self.batch.clear()

    def exceed(self, limit: str, message: str) -> bool:
        """Set the failure of a program that exceeded a limit, in place of anything before.

        Returns False, because the program may not continue.
        """
        self.crash(Failure("limit", message, name="LimitError", limit=limit))
        return False


def parse(text: str) -> Json:
    """Return the value of a JSON text from the harness. Raises `TooManyValues`.

    Returns `UNREADABLE` for text that is not JSON, which the harness sends only if the program has
    tampered with it, and for an integer that has too many digits for Python.
    """
    try:
        return read_json(text)
    except TooManyValues:
        raise
    except NotJson:
        return UNREADABLE


def size_text(limit: int) -> str:
    """Return a number of bytes in MB, KB or bytes."""
    for unit, factor in (("MB", 1 << 20), ("KB", 1 << 10)):
        if limit >= factor:
            return f"{limit / factor:g} {unit}"
    return f"{limit} bytes"
