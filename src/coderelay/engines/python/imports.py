"""What a guest asks of its host: its own imports, and WASI's."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import wasmtime
from wasmtime import TrapCode

from coderelay.engines.python import values, wasi
from coderelay.engines.python.world import World, current
from coderelay.engines.wasm.native import HostImports
from coderelay.engines.wasm.trapped import Trapped

_MOST_WORDS = 16
_TAKEN_BACK = {"takes": ["handle"], "gives": None}
"""The signature of what gives a resource back."""


def link(linker: wasmtime.Linker, module: wasmtime.Module, signatures: Path) -> HostImports:
    """Define every import of a module. What is returned must live as long as the linker."""
    known = json.loads(signatures.read_text("utf-8"))
    imports = HostImports(linker)
    defined = set()
    for item in module.imports:
        name, _, allocator = (item.name or "").partition("|")
        if item.name not in defined:
            defined.add(item.name)
            signature = known.get(name, _TAKEN_BACK)
            function = _OWN.get(name) or wasi.find(name)
            if function is None:
                function, signature = _denied(signature)
            imports.define(item, _entered(function, signature, allocator))
    return imports


def _denied(signature: dict[str, Any]) -> tuple[Callable[..., Any], dict[str, Any]]:
    """What it is given is not even read: lists that name the same bytes again and again would take
    any amount of memory."""
    answer = wasi.refusal(signature["gives"])
    return lambda world: answer, {**signature, "takes": []}


def _entered(
    function: Callable[..., Any], signature: dict[str, Any], allocator: str
) -> Callable[..., int | None]:
    """The function as the guest calls it: with words, and a place for an answer of several."""
    takes = [values.of(told) for told in signature["takes"]]
    gives = values.of(signature["gives"]) if signature["gives"] is not None else None
    placed = gives is not None and gives.words > 1
    if sum(take.words for take in takes) > _MOST_WORDS:
        takes = []  # they are in memory, and none that we answer has so many

    def called(*words: int) -> int | None:
        assert current.memory is not None
        world, memory = current.world, current.memory(allocator)
        try:
            left = iter(words)
            arguments = [take.lift(memory, left) for take in takes]
        except (IndexError, UnicodeDecodeError) as error:
            raise Trapped(TrapCode.UNREACHABLE) from error
        try:
            world.charge()
            world.charge_texts(sum(len(each) for each in arguments if isinstance(each, str)))
            answer = function(world, *arguments)
        except BaseException as error:  # kept by the world until the guest has been left
            world.broken(error)
            raise Trapped(TrapCode.UNREACHABLE) from error
        if gives is None:
            return None
        if not placed:
            return int(answer)
        try:
            gives.store(memory, words[-1], answer)
        except IndexError as error:
            raise Trapped(TrapCode.UNREACHABLE) from error
        return None

    return called


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


_OWN: dict[str, Callable[..., Any]] = {
    "call": _call,
    "log": _log,
    "complete": _complete,
    "fail": _fail,
    "wait": _wait,
    "invoke": _invoke,
}
"""The imports of `world.wit`."""
