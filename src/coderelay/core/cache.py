"""A cache that is bounded by the total weight of its values as well as by their number."""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

from coderelay.core.limits import MB

MAX_TOOL_LISTS, MAX_TOOL_BYTES = 128, 32 * MB
"""How many lists of tools a cache holds, and how many bytes of declarations in them. What is made
of declarations takes up to 14 times as much memory: so a full cache takes up to 450 MB."""

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class WeighedCache(Generic[Key, Value]):
    """A thread-safe cache of the values that were used last.

    It holds at most `max_values` values, whose weights add up to at most `max_weight`.
    """

    def __init__(self, max_values: int, max_weight: int) -> None:
        self._max_values = max_values
        self._max_weight = self._weight_left = max_weight
        self._cached: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Key) -> Value | None:
        """Return the cached value of this key, or None."""
        with self._lock:
            found = self._cached.get(key)
            if found is None:
                return None
            self._cached.move_to_end(key)
            return found[0]

    def put(self, key: Key, value: Value, weight: int) -> Value:
        """Cache a value and return it, and drop the values that were used longest ago if there is
        no room. If another thread has cached one for this key first, return that one. A
        value that weighs more than the whole cache may hold is returned without being cached."""
        with self._lock:
            found = self._cached.get(key)
            if found is not None:
                return found[0]
            if weight > self._max_weight:
                return value
            self._cached[key] = value, weight
            self._weight_left -= weight
            while len(self._cached) > self._max_values or self._weight_left < 0:
                _, (_, dropped) = self._cached.popitem(last=False)
                self._weight_left += dropped
            return value
