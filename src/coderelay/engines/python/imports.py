"""Links the host functions of a Python guest: those of our harness, and WASI's."""

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
_RESOURCE_DROP = {"takes": ["handle"], "gives": None}
"""The signature of the imports that drop a resource, which `imports.json` does not list."""


def link(linker: wasmtime.Linker, module: wasmtime.Module, signatures: Path) -> HostImports:
    """Define every import of a module. The caller must keep what is returned as long as the
    linker."""
    known = json.loads(signatures.read_text("utf-8"))
    imports = HostImports(linker)
    defined = set()
    for item in module.imports:
        name, _, allocator = (item.name or "").partition("|")
        if item.name not in defined:
            defined.add(item.name)
            signature = known.get(name, _RESOURCE_DROP)
            function = _OWN.get(name) or wasi.find(name)
            if function is None:
                function, signature = _denied(signature)
            imports.define(item, _host_function(function, signature, allocator))
    return imports


def _denied(signature: dict[str, Any]) -> tuple[Callable[..., Any], dict[str, Any]]:
    """Return a function that always refuses, and its signature.

    The signature takes no arguments, so that they are not even read: lists that refer to the same
    bytes again and again could take any amount of memory.
    """
    answer = wasi.refusal(signature["gives"])
    return lambda world: answer, {**signature, "takes": []}


def _host_function(
    function: Callable[..., Any], signature: dict[str, Any], allocator: str
) -> Callable[..., int | None]:
    """Return a function that the guest can call: it takes words, and writes a result of several
    words to the address in the last argument."""
    takes = [values.type_from_json(declared) for declared in signature["takes"]]
    result = signature["gives"]
    gives = None if result is None else values.type_from_json(result)
    placed = gives is not None and gives.words > 1
    if sum(take.words for take in takes) > _MOST_WORDS:
        takes = []  # they are passed in memory; no host function that we define has so many

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
        except BaseException as error:  # raised again when the guest has been left
            world.keep_error(error)
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
