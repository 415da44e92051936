"""Makes sure that a thread has enough stack for a guest.

A guest runs on the stack of the thread that calls it. If that is smaller than the guest's own
limit, a program that recurses deeply would overflow the thread's stack, which ends the whole
process, before it reaches the limit that turns recursion into an error.
"""

import _thread
import ctypes
import sys
import threading
from collections.abc import Callable

from coderelay.core import StackTooSmall

_MARGIN = 512 * 1024
_BIGGER = 16 * 1024 * 1024


_size_lock = threading.Lock()
"""Held while the process-wide size of new threads' stacks is changed."""


class _ThreadStack(threading.local):
    size: int | None = None


_this_thread = _ThreadStack()


def require_stack(guest: int) -> None:
    """Raise `StackTooSmall` unless this thread has room for a guest with `guest` bytes of stack."""
    size = _this_thread.size
    if size is None:
        size = _this_thread.size = _measure()
    if size < guest + _MARGIN:
        raise StackTooSmall(
            f"this thread has {size >> 10} KB of stack and a guest needs {(guest + _MARGIN) >> 10}:"
            f" call threading.stack_size({_BIGGER}) before the thread is started"
        )


def start_with_stack(target: Callable[[], None], name: str) -> None:
    """Start a daemon thread with enough stack for a guest.

    The main thread has another thread start it: a `KeyboardInterrupt` in the middle of starting a
    thread would leave its locks in an undefined state.
    """
    if threading.current_thread() is threading.main_thread():
        _thread.start_new_thread(_start_or_become, (target, name))
    else:
        _start(target, name)


def _start(target: Callable[[], None], name: str) -> None:
    """Start a thread with a larger stack.

    The size can only be set for all threads that the process starts from then on, so it is reset
    at once.
    """
    with _size_lock:
        before = threading.stack_size(_BIGGER)
        try:
            threading.Thread(target=target, name=name, daemon=True).start()
        finally:
            threading.stack_size(before)


def _start_or_become(target: Callable[[], None], name: str) -> None:
    """Start the thread, or run its work on this one if no thread can be started.

    The work must be done, because a caller waits for it.
    """
    try:
        _start(target, name)
    except RuntimeError:
        target()


def _measure() -> int:
    """Return the size of this thread's stack in bytes, or `sys.maxsize` if it is unknown."""
    try:
        if sys.platform == "linux":
            return _linux()
        if sys.platform == "darwin":
            return _darwin()
    except (OSError, AttributeError):
        pass
    return sys.maxsize


def _linux() -> int:
    library = ctypes.CDLL(None)
    library.pthread_self.restype = ctypes.c_void_p
    attributes = ctypes.create_string_buffer(256)  # a pthread_attr_t, with room to spare
    if library.pthread_getattr_np(ctypes.c_void_p(library.pthread_self()), attributes):
        raise OSError("pthread_getattr_np")
    size = ctypes.c_size_t()
    failed = library.pthread_attr_getstacksize(attributes, ctypes.byref(size))
    library.pthread_attr_destroy(attributes)
    if failed:
        raise OSError("pthread_attr_getstacksize")
    return size.value


def _darwin() -> int:
    library = ctypes.CDLL(None)
    library.pthread_self.restype = ctypes.c_void_p
    library.pthread_get_stacksize_np.restype = ctypes.c_size_t
    return int(library.pthread_get_stacksize_np(ctypes.c_void_p(library.pthread_self())))
