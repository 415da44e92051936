"""What a guest tells the host, checked and bounded as it comes."""

import copy

from coderelay.core import Call, Failure, Json, Limits, Log, Returned
from coderelay.core.json_counts import TooManyValues
from coderelay.core.json_reader import read_json
from coderelay.core.json_values import NotJson, size

UNREADABLE = object()
_NO_VALUE = Failure(
    "exception",
    "the value cannot be read as JSON: give data only, and integers of over 4,300 digits as text",
    name="TypeError",
)


class Ledger:
    """A program's calls and logs so far, and how it ended.

    Everything that comes in here is hostile: user code shares its interpreter with our harness.
    Every method says whether the program may go on; one that may not must be stopped at once.
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
        """Whether main has returned or thrown."""
        return self.value is not None or self.failure is not None

    def copy(self) -> "Ledger":
        """The same, to go on apart from this one."""
        twin = copy.copy(self)
        twin.logs, twin.batch = list(self.logs), list(self.batch)
        return twin

    def log(self, level: str, text: str) -> bool:
        """Take one line of output."""
        length = size(text)
        if not self.has_room(length):
            return False
        self._logged += length + 1
        self.logs.append(Log(level, text))
        return True

    def has_room(self, length: int) -> bool:
        """Whether so many more bytes of output fit. Where they do not, the program is over."""
        if self._logged + length <= self._limits.logs:
            return True
        return self.exceed("logs", f"the logs are over {shown_size(self._limits.logs)}: print less")

    def call(self, name: str, arguments: str) -> bool:
        """Take one tool call, its arguments as JSON text."""
        limits = self._limits
        if self._made >= limits.calls:
            return self.exceed("calls", f"a program may make {limits.calls} calls: make fewer")
        if len(self.batch) >= limits.waiting:
            message = f"{limits.waiting} calls may wait at once: await them in smaller groups"
            return self.exceed("waiting", message)
        length = size(arguments)
        if length > limits.arguments:
            message = f"the arguments of {name} are over {shown_size(limits.arguments)}: pass less"
            return self.exceed("arguments", message)
        self._waiting = length + (self._waiting if self.batch else 0)
        if self._waiting > limits.batch:
            message = f"the arguments of all waiting calls are over {shown_size(limits.batch)}: "
            return self.exceed("batch", message + "await them in smaller groups")
        try:
            parsed = parse(arguments)
        except TooManyValues as error:
            return self.exceed("arguments", f"the arguments of {name}: {error}; pass less")
        # No arguments at all: the tool's schema will refuse that, and say so.
        self.batch.append(Call(self._made, name, None if parsed is UNREADABLE else parsed))
        self._made += 1
        return True

    def complete(self, value: str) -> bool:
        """Take main's value, as JSON text. Only the first way to settle counts."""
        if self.settled:
            return True
        if size(value) > self._limits.value:
            message = f"the value is over {shown_size(self._limits.value)}: return a summary"
            return self.exceed("value", message)
        try:
            parsed = parse(value)
        except TooManyValues as error:
            return self.exceed("value", f"the value: {error}; return a summary")
        if parsed is UNREADABLE:
            return self.fail(_NO_VALUE)
        self.value = Returned(parsed)
        return True

    def fail(self, failure: Failure) -> bool:
        """Take the way in which main failed. Only the first way to settle counts."""
        if not self.settled:
            self.failure = failure
        return True

    def crash(self, failure: Failure) -> None:
        """Record that the guest itself broke down: that ends a program at once."""
        self.value, self.failure = None, failure
        self.batch.clear()

    def exceed(self, limit: str, message: str) -> bool:
        """Record that a limit was passed: that ends a program at once, whatever it was at."""
        self.crash(Failure("limit", message, name="LimitError", limit=limit))
        return False


def parse(text: str) -> Json:
    """JSON from our harness; `UNREADABLE` for tampering, and for an integer that is too long for
    Python. Raises `TooManyValues`."""
    try:
        return read_json(text)
    except TooManyValues:
        raise
    except NotJson:
        return UNREADABLE


def shown_size(limit: int) -> str:
    """A limit as people write it."""
    for unit, factor in (("MB", 1 << 20), ("KB", 1 << 10)):
        if limit >= factor:
            return f"{limit / factor:g} {unit}"
    return f"{limit} bytes"
