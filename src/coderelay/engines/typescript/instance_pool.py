"""Pristine guests, made anew or restored: which of the two, a program cannot tell.

A guest's whole state is its memory (its one global, the stack pointer, is back in place whenever
it is not running). Writing the first image over a used memory therefore makes it a new one, at a
fraction of what mapping and faulting in a fresh one costs. One that trapped, or whose memory grew,
is thrown away. See docs/design/restored-instances.md.
"""

from collections import deque
from collections.abc import Mapping

import wasmtime

from coderelay.engines.typescript.quickjs import Image, QuickJsGuest
from coderelay.engines.wasm.native import instantiate
from coderelay.engines.wasm.off_main import OffMainThread

_KEPT = 8
_NEVER = 1 << 40
_FUEL = 1 << 40


class TypeScriptPool:
    """Gives out guests and takes them back; safe to use from many threads."""

    def __init__(
        self,
        engine: wasmtime.Engine,
        module: wasmtime.Module,
        linker: wasmtime.Linker,
        handles: Mapping[str, int],
    ) -> None:
        self._engine = engine
        self._linked = linker.instantiate_pre(module)
        self._handles = handles
        self._idle: deque[QuickJsGuest] = deque(maxlen=_KEPT)
        self._image = OffMainThread().run(self._first_image, end=lambda: None)

    def _first_image(self) -> Image:
        guest = self._make(memory_limit=1 << 30)
        image = Image.of(guest.memory())
        guest.store.close()
        return image

    def take(self, memory_limit: int) -> QuickJsGuest:
        """A guest as it was when the harness had loaded."""
        try:
            guest = self._idle.pop()
        except IndexError:
            return self._make(memory_limit)
        if guest.memory_limit == memory_limit:
            return guest
        guest.store.close()  # a server has one limit; one that varies it does without
        return self._make(memory_limit)

    def give_back(self, guest: QuickJsGuest) -> None:
        """Restore a guest that is reusable, for another program."""
        if len(self._idle) < _KEPT and guest.restore(self._image):
            self._idle.append(guest)
        else:
            guest.store.close()

    def pages(self, guest: QuickJsGuest) -> tuple[tuple[int, bytes], ...] | None:
        """The pages in which a guest is no longer pristine; None where its memory has grown."""
        memory = guest.memory()
        if len(memory) != len(self._image.memory):
            return None
        return self._image.changed(memory)

    def _make(self, memory_limit: int) -> QuickJsGuest:
        store = wasmtime.Store(self._engine)
        store.set_limits(memory_size=memory_limit)
        store.set_epoch_deadline(_NEVER)
        store.set_fuel(_FUEL)
        return QuickJsGuest(instantiate(self._linked, store), self._handles, memory_limit)
