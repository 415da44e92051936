"""Clocks that a test holds: time passes where the test says so, however busy the machine is."""

import asyncio
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress


class HeldTime:
    """Stands for the module `time`. Only who sleeps lets time pass, and then at once."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        """Seconds since the test began."""
        return self.now

    def time_ns(self) -> int:
        """Nanoseconds since 1970."""
        return 1_800_000_000 * 1_000_000_000 + round(self.now * 1e9)

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds


class HeldLoop(asyncio.SelectorEventLoop):
    """An event loop whose timers are due when the test says that so much time has passed."""

    def __init__(self) -> None:
        self._now = 0.0
        super().__init__()

    def time(self) -> float:
        """Seconds since the test began."""
        return self._now

    def let_pass(self, seconds: float) -> None:
        """Let time pass; from any thread."""

        def pass_on() -> None:
            self._now += seconds

        self.call_soon_threadsafe(pass_on)


class Gate:
    """Is opened by any thread, for good; any event loop can wait for it."""

    def __init__(self) -> None:
        self._future: Future[None] = Future()

    def open(self) -> None:
        """Let everyone pass, now and later."""
        with suppress(InvalidStateError):  # it is open already
            self._future.set_result(None)

    async def opened(self) -> None:
        """Wait in this event loop until it is open."""
        # shielded: whoever stops waiting would cancel it for all others
        await asyncio.shield(asyncio.wrap_future(self._future))
