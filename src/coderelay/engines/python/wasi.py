"""WASI for a guest that may do nothing: clocks are virtual, randomness is seeded, the rest denied.

Every function here is called from native code. None may raise: wasmtime keeps a host function's
exception in one slot for the whole process, where another thread's run would find it.
"""

from collections.abc import Callable, Iterator
from typing import Any

import wasmtime
from wasmtime.component import (
    Component,
    Linker,
    LinkerInstance,
    Record,
    ResourceAny,
    ResourceHost,
    ResourceType,
    Variant,
)
from wasmtime.component import _types as types

from coderelay.engines.python import imports, values, wasifiles
from coderelay.engines.python.values import RESOURCES, U32
from coderelay.engines.python.world import World, current

Function = Callable[..., Any]
_REFUSALS = ("access", "access-denied", "not-permitted", "not-supported")


def link(linker: Linker, engine: wasmtime.Engine, component: Component) -> list[object]:
    """Define every `wasi:*` import of a component.

    What is returned must live as long as the linker.
    """
    kept: list[object] = []
    with linker.root() as root:
        for name, found in component.type.imports(engine).items():
            if name.startswith("wasi:"):
                with root.add_instance(name) as instance:
                    interface: Any = found.ty
                    kept += _define(instance, name.partition("@")[0], interface.exports(engine))
    return kept


def _define(instance: LinkerInstance, interface: str, items: dict[str, Any]) -> Iterator[object]:
    for name, found in items.items():
        item = found.ty
        if isinstance(item, ResourceType):
            drop = _forget_alarm if name == "pollable" else _forget
            instance.add_resource(name, ResourceType.host(RESOURCES.index(name) + 1), drop)
        elif isinstance(item, types.FuncType):
            native = imports.define_wasi(instance, interface, name)
            native = native or wasifiles.define(instance, interface, name)
            waiting = _WAITING.get(f"{interface}#{name}")
            if waiting is not None:
                native = values.define(instance, name, waiting)
            if native is None:
                function = _GIVEN.get(f"{interface}#{name}")
                instance.add_func(name, _safely(function or _denied(item.result)))
            yield native


def _safely(function: Function) -> Function:
    """Without exceptions: they are kept by the world until the guest has been left."""

    def call(store: wasmtime.StoreContext, *arguments: Any) -> Any:
        world = current.world
        try:
            world.charge()
            return function(store, *arguments)
        except Exception as error:
            world.broken(error)
            return None

    return call


def _give_back(store: wasmtime.StoreContext, arguments: Any) -> None:
    """Drop borrowed handles, as a call must. `to_host` does the same."""
    for argument in arguments:
        if isinstance(argument, ResourceAny):
            argument.drop(store)
        elif isinstance(argument, list):
            _give_back(store, argument)


def _denied(result: Any) -> Function:
    """A function that answers with the refusal that its type has."""
    answer: Any = None
    if isinstance(result, types.ResultType):
        error = result.err
        if isinstance(error, types.EnumType):
            answer = next(name for name in _REFUSALS if name in error.names)
        elif isinstance(error, types.VariantType):
            answer = Variant("closed") if error._tagged() else None
        answer = Variant("err", answer) if result._tagged() else answer
    elif isinstance(result, types.Bool):
        answer = False

    def refuse(store: wasmtime.StoreContext, *arguments: Any) -> Any:
        _give_back(store, arguments)
        return _handle("pollable", 0) if isinstance(result, types.OwnType) else answer

    return refuse


def _handle(kind: str, number: int) -> ResourceHost:
    return ResourceHost.own(number, RESOURCES.index(kind) + 1)


def _forget(store: wasmtime.StoreContext, number: int) -> None:
    try:
        wasifiles.forget(current.world, number)
    except Exception as error:
        current.world.broken(error)


def _forget_alarm(store: wasmtime.StoreContext, number: int) -> None:
    current.world.alarms.pop(number, None)


def _wall(store: wasmtime.StoreContext) -> Record:
    seconds, nanoseconds = divmod(current.world.clock.wall(), 1_000_000_000)
    return _time(seconds, nanoseconds)


def _time(seconds: int, nanoseconds: int) -> Record:
    time = Record()
    vars(time).update(seconds=seconds, nanoseconds=nanoseconds)
    return time


def _subscribe_instant(store: wasmtime.StoreContext, when: int) -> ResourceHost:
    return _handle("pollable", current.world.set_alarm(when))


def _subscribe_duration(store: wasmtime.StoreContext, duration: int) -> ResourceHost:
    world = current.world
    return _handle("pollable", world.set_alarm(world.clock.monotonic() + duration))


def _block(world: World, pollable: int) -> None:
    world.clock.advance_to(world.alarms.get(pollable, 0))


def _poll(world: World, pollables: list[int]) -> list[U32]:
    alarms = [world.alarms.get(pollable, 0) for pollable in pollables]
    first = min(alarms, default=0)
    world.clock.advance_to(first)
    return [U32(place) for place, when in enumerate(alarms) if when <= first]


_WAITING: dict[str, Function] = {
    "wasi:io/poll#poll": _poll,
    "wasi:io/poll#[method]pollable.block": _block,
}
_GIVEN: dict[str, Function] = {
    "wasi:clocks/monotonic-clock#resolution": lambda store: 1_000,
    "wasi:clocks/monotonic-clock#subscribe-instant": _subscribe_instant,
    "wasi:clocks/monotonic-clock#subscribe-duration": _subscribe_duration,
    "wasi:clocks/wall-clock#now": _wall,
    "wasi:clocks/wall-clock#resolution": lambda store: _time(0, 1_000),
    "wasi:cli/environment#get-environment": lambda store: [],
    "wasi:cli/environment#get-arguments": lambda store: [],
    "wasi:cli/exit#exit": lambda store, status: current.world.exit(),
    "wasi:cli/stdin#get-stdin": lambda store: _handle("input-stream", 0),
    "wasi:cli/stdout#get-stdout": lambda store: _handle("output-stream", 1),
    "wasi:cli/stderr#get-stderr": lambda store: _handle("output-stream", 2),
    "wasi:cli/terminal-stdin#get-terminal-stdin": lambda store: None,
    "wasi:cli/terminal-stdout#get-terminal-stdout": lambda store: None,
    "wasi:cli/terminal-stderr#get-terminal-stderr": lambda store: None,
    "wasi:sockets/instance-network#instance-network": lambda store: _handle("network", 0),
}
