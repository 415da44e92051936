"""Compiles programs to bytecode, in instances that run no programs, and caches the bytecode.

Each compilation has an instance in its initial state. So no program can influence the bytecode of
another, and the same source gives the same bytecode in every process. See
docs/design/fresh-compiler.md.
"""

import threading
from collections import OrderedDict

from wasmtime import TrapCode

from coderelay.core.limits import KB, MB
from coderelay.engines.python.instance import PythonGuest, PythonInstance
from coderelay.engines.python.instance_pool import PythonPool
from coderelay.engines.python.instance_restorer import InstanceRestorer
from coderelay.engines.python.world import World
from coderelay.engines.wasm.backstop import Backstop
from coderelay.engines.wasm.trapped import Trapped

_CACHE_SIZE, _LEARN = 16 * MB, 8 * MB
_FUEL = 10_000_000_000
_QUICK = 1.0
"""Seconds after which a compilation is repeated with fuel. Ordinary programs need a tenth of it."""
_TOO_MUCH = (
    '!{"kind":"syntax","name":"SyntaxError","message":"the program is too complex to compile: '
    'nest less"}'
)
_SAMPLE = '''\
import asyncio
from dataclasses import dataclass


@dataclass
class Row:
    """A row."""

    name: str
    size: int = 0


def total(rows, *, least=1):
    return sum(row.size * 2 for row in rows if row.name.strip() and row.size >= least)


async def fetch(number):
    try:
        found = await tool(query=f"number {number:>3}", limit=number)
    except (KeyError, ValueError) as error:
        return {"error": str(error)}
    finally:
        print("done", number)
    return found["items"][0]


async def main():
    first, second = await asyncio.gather(*(fetch(n) for n in range(2)))
    rows = sorted([Row(k, v) for k, v in first.items()], key=lambda row: (-row.size, row.name))
    while rows and len(rows) > 3:
        rows.pop()
    if not rows:
        return None
    return {"first": rows[0], "all": {row.name: row.size for row in rows}, "second": second[:2]}


await main()
'''
"""A program that is compiled to warm an instance up: it uses the memory that compiling uses."""


class ProgramCompiler:
    """Compiles programs, with a cache.

    Compiling does not count fuel at first, which is a fifth faster. A compilation that takes long
    or traps is repeated with fuel, so that its outcome is the same on every machine.
    """

    def __init__(
        self, guest: PythonGuest, metered: PythonGuest, backstop: Backstop, *, pool: int
    ) -> None:
        self._metered = metered
        self._backstop = backstop
        self._quick = Backstop(guest.engine)
        self._pool = PythonPool(
            InstanceRestorer(lambda: _warm_compiler(guest), learn=_LEARN),
            pool,
            busy=lambda: self.busy,
        )
        self._lock = threading.Lock()
        self._cache: OrderedDict[str, str] = OrderedDict()
        self._size = 0

    @property
    def busy(self) -> bool:
        """Whether a guest is compiling or running."""
        return self._quick.busy or self._backstop.busy

    @property
    def ready(self) -> int:
        """How many instances are ready."""
        return self._pool.ready

    def fill(self) -> None:
        """Wait until all instances are ready."""
        self._pool.fill()

    def code(self, source: str, seconds: float) -> str:
        """Return the bytecode of a program as text, or `!` and the report of its failure.

        Raises `Trapped` if compiling takes more than `seconds`.
        """
        with self._lock:
            code = self._cache.get(source)
            if code is not None:
                self._cache.move_to_end(source)
                return code
        code = self._compile(source, seconds)
        with self._lock:
            self._add_to_cache(source, code)
        return code

    def _compile(self, source: str, seconds: float) -> str:
        instance = self._pool.take()
        try:
            with self._quick.watch(instance.store, min(seconds, _QUICK)):
                code = instance.enter(World(), "compile", source)
        except Trapped:
            instance.close()
            return self._compile_with_fuel(source, seconds)
        self._pool.give_back(instance)
        return code

    def _compile_with_fuel(self, source: str, seconds: float) -> str:
        instance = _warm_compiler(self._metered)
        instance.store.set_fuel(_FUEL)
        try:
            with self._backstop.watch(instance.store, seconds):
                return instance.enter(World(), "compile", source)
        except Trapped as trap:
            if trap.trap_code is TrapCode.INTERRUPT:
                raise
            return _TOO_MUCH
        finally:
            instance.close()

    def _add_to_cache(self, source: str, code: str) -> None:
        if source not in self._cache:
            self._cache[source] = code
            self._size += len(source) + len(code) + KB
        while self._size > _CACHE_SIZE:
            dropped, code = self._cache.popitem(last=False)
            self._size -= len(dropped) + len(code) + KB


def _warm_compiler(guest: PythonGuest) -> PythonInstance:
    """Return an instance that is warmed up for compiling, and not for running programs."""
    instance = PythonInstance(guest, warm=False)
    instance.enter(World(), "compile", _SAMPLE)
    return instance
