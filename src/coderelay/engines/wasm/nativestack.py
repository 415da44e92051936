"""A guest runs on its caller's stack, so that must be large enough for the guest's own limit.

On a smaller one a program that recurses would reach the end of the thread's stack before the limit
that turns recursion into an error, and take the whole process with it.
"""

import _thread
import ctypes
import sys
import threading
from collections.abc import Callable

from coderelay.core import StackTooSmall

_MARGIN = 512 * 1024
_BIGGER = 16 * 1024 * 1024


_sizing = threading.Lock()


class _Known(threading.local):
    size: int | None = None


_known = _Known()


def require(guest: int) -> None:
    """Raise `StackTooSmall` unless this thread can hold a guest with so many bytes of stack."""
    size = _known.size
    if size is None:
        size = _known.size = _measure()
    if size < guest + _MARGIN:
        raise StackTooSmall(
            f"this thread has {size >> 10} KB of stack and a guest needs {(guest + _MARGIN) >> 10}:"
            f" call threading.stack_size({_BIGGER}) before the thread is started"
        )


def start_with_stack(target: Callable[[], None], name: str) -> None:
    """Start a daemon thread that a guest can run on.

    The main thread leaves that to another one: Ctrl-C at the wrong moment of starting a thread
    would leave its lock in disorder.
    """
    if threading.current_thread() is threading.main_thread():
        _thread.start_new_thread(_start_or_become, (target, name))
    else:
        _start(target, name)


def _start(target: Callable[[], None], name: str) -> None:
    """The size is chosen when a thread starts, and for the whole process: it is put back at
    once."""
    with _sizing:
        before = threading.stack_size(_BIGGER)
        try:
            threading.Thread(target=target, name=name, daemon=True).start()
        finally:
            threading.stack_size(before)


def _start_or_become(target: Callable[[], None], name: str) -> None:
    """Somebody waits for the thread: where it cannot be started, this one does its work."""
    try:
        _start(target, name)
    except RuntimeError:
        target()


def _measure() -> int:
    """This thread's stack in bytes; as good as endless where the system does not tell."""
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
