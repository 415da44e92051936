"""What a guest asks of its host often: its own imports, its clock and its randomness."""

from wasmtime.component import Linker, LinkerInstance

from coderelay.engines.python import native, values
from coderelay.engines.python.world import World

_MOST_RANDOM = 1 << 16


def link(linker: Linker) -> list[object]:
    """Define the imports of `world.wit`. What is returned must live as long as the linker."""
    with linker.root() as root:
        return [
            native.define(root, "call", _call, takes=("text", "text"), gives="u32"),
            native.define(root, "log", _log, takes=("u32", "text")),
            native.define(root, "complete", _complete, takes=("text",)),
            native.define(root, "fail", _fail, takes=("text",)),
            native.define(root, "wait", _wait, takes=("u64",), gives="u64"),
            values.define(root, "invoke", _invoke),
        ]


def define_wasi(instance: LinkerInstance, interface: str, name: str) -> object | None:
    """Define a function of WASI, if it is one that is called often."""
    if f"{interface}#{name}" == "wasi:clocks/monotonic-clock#now":
        return native.define(instance, name, _monotonic, gives="u64")
    if f"{interface}#{name}" == "wasi:random/random#get-random-bytes":
        return native.define(instance, name, _random, takes=("u64",), gives="bytes")
    return None


def _call(world: World, name: str, arguments: str) -> int:
    return world.call(name, arguments)


def _log(world: World, level: int, text: str) -> None:
    world.log(level, text)


def _complete(world: World, value: str) -> None:
    world.complete(value)


def _fail(world: World, failure: str) -> None:
    world.fail(failure)


def _wait(world: World, until: int) -> int:
    world.clock.advance_to(until)
    return world.clock.elapsed


def _invoke(world: World, calls: str) -> str:
    return world.invoke(calls)


def _random(world: World, size: int) -> bytes:
    return world.entropy.read(min(size, _MOST_RANDOM))


def _monotonic(world: World) -> int:
    return world.clock.monotonic()
