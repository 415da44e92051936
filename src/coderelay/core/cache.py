"""A cache that is bounded by what its values weigh, and not only by how many there are."""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class WeighedCache(Generic[Key, Value]):
    """Keeps the values that were used last, up to so many and up to a total weight. Threads may
    share it."""

    def __init__(self, most: int, weight: int) -> None:
        self._most = most
        self._heaviest = self._room = weight
        self._kept: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Key) -> Value | None:
        """The value, if it is kept."""
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                return None
            self._kept.move_to_end(key)
            return found[0]

    def put(self, key: Key, value: Value, weight: int) -> Value:
        """Keep a value, and drop others for it. Returns the one that is kept already, if another
        thread was faster. A value that is heavier than the whole cache is not kept."""
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                return found[0]
            if weight > self._heaviest:
                return value
            self._kept[key] = value, weight
            self._room -= weight
            while len(self._kept) > self._most or self._room < 0:
                _, (_, dropped) = self._kept.popitem(last=False)
                self._room += dropped
            return value
