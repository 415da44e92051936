"""Provides instances in their initial state: new ones, or used ones whose memory was restored.

The whole state of a guest is its memory. Its only global variable, the stack pointer, has its
initial value whenever the guest does not run. So writing the initial memory over a used one makes
it new, at a fraction of the cost of mapping a new memory and its page faults. A program cannot tell
the difference. A guest that trapped, or whose memory has grown, is closed instead. See
docs/design/restored-instances.md.
"""

from collections import deque
from collections.abc import Mapping

import wasmtime

from coderelay.engines.typescript.quickjs import MemorySnapshot, QuickJsInstance
from coderelay.engines.wasm.native import instantiate
from coderelay.engines.wasm.off_main import OffMainThread

_MOST_IDLE = 8
_NEVER = 1 << 40
_FUEL = 1 << 40


class TypeScriptPool:
    """Hands out instances and takes them back. It may be used from many threads."""

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
        self._idle: deque[QuickJsInstance] = deque(maxlen=_MOST_IDLE)
        self._image = OffMainThread().run(self._first_image, end=lambda: None)

    def _first_image(self) -> MemorySnapshot:
        guest = self._make(memory_limit=1 << 30)
        image = MemorySnapshot.of(guest.memory())
        guest.store.close()
        return image

    def take(self, memory_limit: int) -> QuickJsInstance:
        """Return an instance in its initial state, with the harness loaded."""
        try:
            guest = self._idle.pop()
        except IndexError:
            return self._make(memory_limit)
        if guest.memory_limit == memory_limit:
            return guest
        # Memory limits cannot be lowered. A server has only one, so this hardly ever happens.
        guest.store.close()
        return self._make(memory_limit)

    def give_back(self, guest: QuickJsInstance) -> None:
        """Take back an instance that can be entered again, and restore it for another program."""
        if len(self._idle) < _MOST_IDLE and guest.restore(self._image):
            self._idle.append(guest)
        else:
            guest.store.close()

    def pages(self, guest: QuickJsInstance) -> tuple[tuple[int, bytes], ...] | None:
        """Return the pages of an instance that differ from its initial state, with their
        addresses, or None if its memory has grown."""
        memory = guest.memory()
        if len(memory) != len(self._image.memory):
            return None
        return self._image.changed(memory)

    def _make(self, memory_limit: int) -> QuickJsInstance:
        store = wasmtime.Store(self._engine)
        store.set_limits(memory_size=memory_limit)
        store.set_epoch_deadline(_NEVER)
        store.set_fuel(_FUEL)
        return QuickJsInstance(instantiate(self._linked, store), self._handles, memory_limit)
