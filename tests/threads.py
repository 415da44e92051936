"""Threads that guests can run on."""

import threading
from collections.abc import Callable
from typing import TypeVar

from coderelay.engines.wasm.nativestack import start_with_stack

T = TypeVar("T")


def on_a_thread(work: Callable[[], T]) -> T:
    """What work on a thread of its own returns or raises, when it is over."""
    returned: list[T] = []
    raised: list[BaseException] = []
    over = threading.Event()

    def attempt() -> None:
        try:
            returned.append(work())
        except BaseException as error:
            raised.append(error)
        finally:
            over.set()

    start_with_stack(attempt, "test")
    over.wait()
    if raised:
        raise raised[0]
    return returned[0]
