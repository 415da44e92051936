"""WASI for a guest that may do nothing: clocks are virtual, randomness is seeded, the rest denied.

None of these may raise: what does is our own error, and ends the run.
"""

from collections.abc import Callable
from typing import Any

from coderelay.engines.python.live import wasifiles
from coderelay.engines.python.values import Case, Err
from coderelay.engines.python.world import World

_MOST_RANDOM = 1 << 16
_REFUSALS = ("access", "access-denied", "not-permitted", "not-supported")
_DROP = "[resource-drop]"


def find(name: str) -> Callable[..., Any] | None:
    """The function that answers an import, by its name; None where it is denied.

    The world of the running guest is its first argument.
    """
    given = _GIVEN.get(name) or wasifiles.find(name)
    return wasifiles.forget if given is None and _DROP in name else given


def refusal(gives: Any) -> Any:
    """The answer that says no, or nothing, in a type."""
    match gives:
        case ["result", _, ["enum", names]]:
            return Err(next(name for name in _REFUSALS if name in names))
        case ["result", _, ["variant", _]]:
            return Err(Case("closed"))
        case ["result", *_]:
            return Err()
        case ["list", "u8"]:
            return b""
        case ["list", _]:
            return []
        case ["option", _] | None:
            return None
    return 0


def _forget_alarm(world: World, number: int) -> None:
    world.alarms.pop(number, None)


def _wall(world: World) -> dict[str, int]:
    seconds, nanoseconds = divmod(world.clock.wall(), 1_000_000_000)
    return {"seconds": seconds, "nanoseconds": nanoseconds}


def _subscribe_duration(world: World, duration: int) -> int:
    return world.set_alarm(world.clock.monotonic() + duration)


def _block(world: World, pollable: int) -> None:
    world.clock.advance_to(world.alarms.get(pollable, 0))


def _poll(world: World, pollables: list[int]) -> list[int]:
    alarms = [world.alarms.get(pollable, 0) for pollable in pollables]
    first = min(alarms, default=0)
    world.clock.advance_to(first)
    return [place for place, when in enumerate(alarms) if when <= first]


def _random(world: World, size: int) -> bytes:
    return world.entropy.read(min(size, _MOST_RANDOM))


_GIVEN: dict[str, Callable[..., Any]] = {
    "wasi:clocks/monotonic-clock#now": lambda world: world.clock.monotonic(),
    "wasi:clocks/monotonic-clock#resolution": lambda world: 1_000,
    "wasi:clocks/monotonic-clock#subscribe-instant": lambda world, when: world.set_alarm(when),
    "wasi:clocks/monotonic-clock#subscribe-duration": _subscribe_duration,
    "wasi:clocks/wall-clock#now": _wall,
    "wasi:clocks/wall-clock#resolution": lambda world: {"seconds": 0, "nanoseconds": 1_000},
    "wasi:io/poll#poll": _poll,
    "wasi:io/poll#[method]pollable.block": _block,
    f"wasi:io/poll#{_DROP}pollable": _forget_alarm,
    "wasi:random/random#get-random-bytes": _random,
    "wasi:cli/exit#exit": lambda world, status: world.exit(),
    "wasi:cli/stdout#get-stdout": lambda world: 1,
    "wasi:cli/stderr#get-stderr": lambda world: 2,
}
