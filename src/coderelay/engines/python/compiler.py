"""A program is compiled once, in an instance that runs none and compiles no other.

What it compiles to is kept for a while, so that running a program again costs no compiling. The
instance is pristine each time: no program's text can touch another's code, and the same source
gives the same code in every process. Why: docs/design/fresh-compiler.md.
"""

import threading
from collections import OrderedDict

from wasmtime import TrapCode

from coderelay.core.limits import KB, MB
from coderelay.engines.python.instance import PythonGuest, PythonInstance
from coderelay.engines.python.instance_pool import PythonPool
from coderelay.engines.python.pristine import Pristine
from coderelay.engines.python.world import World
from coderelay.engines.wasm.backstop import Backstop
from coderelay.engines.wasm.trapped import Trapped

_KEPT, _LEARN = 16 * MB, 8 * MB
_FUEL = 10_000_000_000
_QUICK = 1.0
"""Seconds after which compiling begins again with fuel: ten times what any program needs."""
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
"""Touches the memory that compiling touches."""


class ProgramCompiler:
    """Compiles programs, and keeps what they compile to.

    Compiling runs no program, so it is done without counting fuel, a fifth faster. What takes long
    or traps is done again with fuel, which then decides: the same on every machine.
    """

    def __init__(
        self, guest: PythonGuest, metered: PythonGuest, backstop: Backstop, *, pool: int
    ) -> None:
        self._metered = metered
        self._backstop = backstop
        self._quick = Backstop(guest.engine)
        self._pool = PythonPool(
            Pristine(lambda: _warm(guest), learn=_LEARN), pool, busy=lambda: self.busy
        )
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, str] = OrderedDict()
        self._size = 0

    @property
    def busy(self) -> bool:
        """Whether a guest compiles or runs now."""
        return self._quick.busy or self._backstop.busy

    @property
    def waiting(self) -> int:
        """How many instances are ready."""
        return self._pool.waiting

    def fill(self) -> None:
        """Wait until all its instances are ready."""
        self._pool.fill()

    def code(self, source: str, seconds: float) -> str:
        """The code of a program, or its failure after a `!`."""
        with self._lock:
            code = self._kept.get(source)
            if code is not None:
                self._kept.move_to_end(source)
                return code
        code = self._compile(source, seconds)
        with self._lock:
            self._keep(source, code)
        return code

    def _compile(self, source: str, seconds: float) -> str:
        instance = self._pool.take()
        try:
            with self._quick.watch(instance.store, min(seconds, _QUICK)):
                code = instance.enter(World(), "compile", source)
        except Trapped:
            instance.close()
            return self._decide(source, seconds)
        self._pool.give_back(instance)
        return code

    def _decide(self, source: str, seconds: float) -> str:
        instance = _warm(self._metered)
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

    def _keep(self, source: str, code: str) -> None:
        if source not in self._kept:
            self._kept[source] = code
            self._size += len(source) + len(code) + KB
        while self._size > _KEPT:
            dropped, code = self._kept.popitem(last=False)
            self._size -= len(dropped) + len(code) + KB


def _warm(guest: PythonGuest) -> PythonInstance:
    instance = PythonInstance(guest, warm=False)  # it runs nothing
    instance.enter(World(), "compile", _SAMPLE)
    return instance
