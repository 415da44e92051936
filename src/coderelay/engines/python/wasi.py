"""WASI for programs: virtual clocks, seeded randomness, and files for sessions. The rest is denied.

These functions must not raise: an exception is an error of ours, and ends the run.
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
    """Return the host function of an import by its name, or None if the import is denied.

    Its first argument is the world of the running guest.
    """
    function = _FUNCTIONS.get(name) or wasifiles.find(name)
    return wasifiles.drop if function is None and _DROP in name else function


def refusal(result_type: Any) -> Any:
    """Return what a denied import returns: an error or an empty value of its result type."""
    match result_type:
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


def _drop_alarm(world: World, number: int) -> None:
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


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "wasi:clocks/monotonic-clock#now": lambda world: world.clock.monotonic(),
    "wasi:clocks/monotonic-clock#resolution": lambda world: 1_000,
    "wasi:clocks/monotonic-clock#subscribe-instant": lambda world, when: world.set_alarm(when),
    "wasi:clocks/monotonic-clock#subscribe-duration": _subscribe_duration,
    "wasi:clocks/wall-clock#now": _wall,
    "wasi:clocks/wall-clock#resolution": lambda world: {"seconds": 0, "nanoseconds": 1_000},
    "wasi:io/poll#poll": _poll,
    "wasi:io/poll#[method]pollable.block": _block,
    f"wasi:io/poll#{_DROP}pollable": _drop_alarm,
    "wasi:random/random#get-random-bytes": _random,
    "wasi:cli/exit#exit": lambda world, status: world.exit(),
    "wasi:cli/stdout#get-stdout": lambda world: 1,
    "wasi:cli/stderr#get-stderr": lambda world: 2,
}
