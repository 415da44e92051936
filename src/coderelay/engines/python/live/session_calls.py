"""The calls of a session: checked and bounded before they are made, and their answers too."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from coderelay.core import CallError, Json, Raised, Result, Returned
from coderelay.core.json_counts import TooManyValues
from coderelay.core.json_values import NotJson, check_depth, dump, size
from coderelay.engines.python import entry
from coderelay.engines.python.live.session_limits import LiveLimits
from coderelay.engines.wasm.ledger import UNREADABLE, parse

_TOO_MUCH = (
    "the call of {} was made, but its result is lost: the results of all calls at once are over {} "
    "bytes; make fewer at once, or ask for less"
)


@dataclass(frozen=True, slots=True)
class LiveCall:
    """A call as the program made it. Neither its name nor its arguments are those of any tool,
    until somebody has looked."""

    name: str
    arguments: Json


Answer: TypeAlias = Callable[[Sequence[LiveCall]], Sequence[Result]]
"""Makes calls, all at once, and gives their results in the same order. It does not raise for what
a tool did."""


class NoCalls(Exception):
    """The calls cannot be made; the message says why. `limit` is the one that they passed."""

    def __init__(self, message: str, limit: str = "") -> None:
        super().__init__(message)
        self.limit = limit


def read(text: str, made: int, limits: LiveLimits) -> list[LiveCall]:
    """The calls that a guest asks for, when it has made so many already."""
    lines = text.split("\n", 2 * limits.waiting)
    if len(lines) > 2 * limits.waiting:
        raise NoCalls(f"{limits.waiting} calls may be made at once: use smaller groups", "calls")
    if made + len(lines) // 2 > limits.calls:
        raise NoCalls(
            f"a cell may make {limits.calls} calls: make the others in the next one", "calls"
        )
    if size(text) > limits.batch:
        raise NoCalls(
            "the arguments of all calls at once are too long: use smaller groups", "calls"
        )
    if len(lines) % 2:
        raise NoCalls("these are no calls")
    pairs = zip(lines[::2], lines[1::2], strict=True)
    return [_call(name, arguments, limits) for name, arguments in pairs]


def write(calls: Sequence[LiveCall], results: Sequence[Result], limits: LiveLimits) -> str:
    """The results, as the guest takes them. One that is too long is a failure of its call."""
    given, payloads, left = [], [], limits.batch
    for call, result in zip(calls, results, strict=True):
        result, payload = _bounded(call, result, limits.result)
        if size(payload) > left:
            result, payload = Raised(CallError(_TOO_MUCH.format(call.name, limits.batch))), ""
        left -= size(payload)
        given.append(result)
        payloads.append(payload)
    return entry.results(range(len(given)), given, payloads)


def _call(name: str, arguments: str, limits: LiveLimits) -> LiveCall:
    if size(arguments) > limits.arguments:
        raise NoCalls(f"the arguments of a call are over {limits.arguments} bytes: pass less")
    try:
        named, parsed = parse(name), parse(arguments)
    except TooManyValues as error:
        raise NoCalls(f"the arguments of a call: {error}; pass less", "calls") from error
    if not isinstance(named, str) or parsed is UNREADABLE:
        raise NoCalls("the arguments of a call cannot be read as JSON")
    return LiveCall(named, parsed)


def _bounded(call: LiveCall, result: Result, limit: int) -> tuple[Result, str]:
    if isinstance(result, Returned):
        try:
            check_depth(result.value)
            payload = dump(result.value)
        except NotJson as error:
            return Raised(CallError(f"the result of {call.name} is not a JSON value: {error}")), ""
    else:
        payload = json.dumps(result.error.message)
    if size(payload) > limit:
        message = f"the result of {call.name} is over {limit} bytes: ask the tool for less"
        return Raised(CallError(message)), ""
    return result, payload
