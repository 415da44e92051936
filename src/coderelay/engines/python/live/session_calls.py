"""Reads the calls of a cell, writes their results, and checks both against the limits."""

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

_RESULT_LOST = (
    "the call of {} was made, but its result is lost: the results of all calls at once are over {} "
    "bytes; make fewer at once, or ask for less"
)


@dataclass(frozen=True, slots=True)
class LiveCall:
    """A call as the code made it. Its name and arguments have not been validated yet."""

    name: str
    arguments: Json


Answer: TypeAlias = Callable[[Sequence[LiveCall]], Sequence[Result]]
"""Makes calls concurrently, and returns their results in the same order. An exception of a tool is
a result, and is not raised."""


class CallsRefused(Exception):
    """The calls cannot be made, for the reason in the message. `limit` names an exceeded limit."""

    def __init__(self, message: str, limit: str = "") -> None:
        super().__init__(message)
        self.limit = limit


def read(text: str, made: int, limits: LiveLimits) -> list[LiveCall]:
    """Return the calls in a guest's text. `made` is how many calls the cell has made before.

    Raises `CallsRefused`.
    """
    lines = text.split("\n", 2 * limits.waiting)
    if len(lines) > 2 * limits.waiting:
        raise CallsRefused(
            f"{limits.waiting} calls may be made at once: use smaller groups", "calls"
        )
    if made + len(lines) // 2 > limits.calls:
        raise CallsRefused(
            f"a cell may make {limits.calls} calls: make the others in the next one", "calls"
        )
    if size(text) > limits.batch:
        raise CallsRefused(
            "the arguments of all calls at once are too long: use smaller groups", "calls"
        )
    if len(lines) % 2:
        raise CallsRefused("the calls cannot be read: call the functions of sdk")
    pairs = zip(lines[::2], lines[1::2], strict=True)
    return [_call(name, arguments, limits) for name, arguments in pairs]


def write(calls: Sequence[LiveCall], results: Sequence[Result], limits: LiveLimits) -> str:
    """Return the results as text for the guest. A result that is too long becomes an error."""
    written, payloads, left = [], [], limits.batch
    for call, result in zip(calls, results, strict=True):
        result, payload = _within_limit(call, result, limits.result)
        if size(payload) > left:
            result, payload = Raised(CallError(_RESULT_LOST.format(call.name, limits.batch))), ""
        left -= size(payload)
        written.append(result)
        payloads.append(payload)
    return entry.results(range(len(written)), written, payloads)


def _call(name: str, arguments: str, limits: LiveLimits) -> LiveCall:
    if size(arguments) > limits.arguments:
        raise CallsRefused(f"the arguments of a call are over {limits.arguments} bytes: pass less")
    try:
        tool, parsed = parse(name), parse(arguments)
    except TooManyValues as error:
        raise CallsRefused(f"the arguments of a call: {error}; pass less", "calls") from error
    if not isinstance(tool, str) or parsed is UNREADABLE:
        raise CallsRefused("the arguments of a call cannot be read as JSON")
    return LiveCall(tool, parsed)


def _within_limit(call: LiveCall, result: Result, limit: int) -> tuple[Result, str]:
    """Return a result with its JSON text, or an error if it is too long or not JSON."""
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
