"""One call of our tool under way: a cell in the guest, whose tool calls an event loop answers."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future

from coderelay.core import CallError, Raised, Result, Returned, Work
from coderelay.core.cancellation import cancel_unless
from coderelay.core.unicode import sendable
from coderelay.engines.python import PythonEngine
from coderelay.engines.python.live.interpreter import Cell, Live, LiveCall, LiveLimits
from coderelay.engines.wasm.off_main import to_its_end
from coderelay.languages.language_registry import engine
from coderelay.languages.python import PYTHON
from coderelay.session.callbacks import Callbacks, ToolCall
from coderelay.session.cell_output import CellOutput, shown
from coderelay.session.folder import Folder
from coderelay.session.sdk_module import MODULE, Sdk, guest_source
from coderelay.session.worker import wait_for

_OUT_OF_FUEL = Raised(CallError("the cell used up its CPU budget", name="LimitError"))


class SessionCall:
    """Where the callbacks of a cell run, and whether anybody still waits for it.

    Whoever waits does so in its `with` block; leaving that by an exception stops the callbacks.
    """

    def __init__(self, callbacks: Callbacks, loop: Callable[[], asyncio.AbstractEventLoop]) -> None:
        self._callbacks = callbacks
        self._loop = loop
        self._lock = threading.Lock()
        self._batch: Future[list[Result]] | None = None
        self._stopped = ""
        self.after: SessionCall | None = None
        """The turn before, if the interpreter ended in it."""

    def answer(self, calls: Sequence[ToolCall]) -> Sequence[Result]:
        """Have the calls answered. Blocks; for the guest's thread."""
        with self._lock:
            if self._stopped:
                return self._none(calls)
            try:
                batch = self._batch = wait_for(self._callbacks.answer(calls), self._loop())
            except RuntimeError:
                self._stopped = "the event loop is closed"
                return self._none(calls)
        try:
            return batch.result()
        except CancelledError:
            self._stopped = self._stopped or "the event loop was closed"
            return self._none(calls)

    def stop(self, reason: str) -> None:
        """Cancel what runs, and let no further call be made."""
        with self._lock:
            self._stopped = reason
            batch = self._batch
        if batch is not None:
            batch.cancel()

    @property
    def given_up(self) -> bool:
        """Whether nobody reads what comes of it."""
        return bool(self._stopped)

    @property
    def tells_of_restart(self) -> bool:
        """Whether the turn before would have told that the interpreter ended, and nobody read it.

        To be asked when this turn is read. Earlier, the caller of the turn before may have left
        already while its event loop has not come to say so.
        """
        return self.after is not None and self.after.given_up

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            to_its_end(lambda: self.stop("nobody waits for it any more"))

    def _none(self, calls: Sequence[ToolCall]) -> list[Result]:
        return [Raised(CallError(f"the call was given up: {self._stopped}")) for _ in calls]


class Session:
    """The live interpreter with its tools and files. For one thread at a time, but for `stop`."""

    def __init__(self, sdk: Sdk, folder: Folder, *, limits: LiveLimits, budget: int) -> None:
        self._sdk = sdk
        self._folder = folder
        self._limits = limits
        self._budget = budget
        self._live: Live | None = None
        self._turn: SessionCall | None = None
        self._closed = False
        self._ended: SessionCall | None = None
        """The turn before, if the interpreter ended in it."""

    def run(self, source: str, turn: SessionCall) -> CellOutput:
        """Run a cell, and tell what came of it."""
        self._turn = turn
        try:
            if self._closed:  # asked after the turn is set, which `stop` asks for the other way
                raise RuntimeError("the session is closed")
            if self._live is None or not self._live.alive:
                self._folder.write_sdk(self._sdk.file)
            if self._live is None:
                self._live = self._start()
            turn.after = self._ended
            cell = self._cell(self._live, source, turn)
        except FileNotFoundError as error:
            if not self._closed:
                raise
            # Whoever closes the session removes its directory at once, from another thread.
            raise RuntimeError("the session is closed") from error
        finally:
            self._turn = None
        if self._closed and not cell.alive:
            return CellOutput("The code was stopped: the session was closed.", failed=True)
        told = shown(cell, self._budget, self._folder.keep)
        return CellOutput(sendable(told.text), told.failed)

    def stop(self, reason: str) -> None:
        """Stop the cell under way, and let all that wait come to their end without their tools."""
        self._closed = True
        turn = self._turn
        if turn is not None:
            turn.stop(reason)

    def close(self) -> None:
        """Drop the interpreter, and a temporary directory."""
        self._closed = True
        if self._live is not None:
            self._live.close()
        self._folder.remove()

    def _cell(self, live: Live, source: str, turn: SessionCall) -> Cell:
        self._ended = turn
        with cancel_unless(lambda: not self._closed):
            cell = live.run(source)
        if cell.alive:
            self._ended = None
        return cell

    def _start(self) -> Live:
        found = engine(PYTHON.name)
        assert isinstance(found, PythonEngine)
        return Live(
            self._folder.path,
            engine=found,
            modules={MODULE: guest_source()},
            answer=self._answer,
            limits=self._limits,
        )

    def _answer(self, calls: Sequence[LiveCall]) -> Sequence[Result]:
        """What the host can answer at once it does; the rest goes to the callback, together. The
        cell pays for the host's own work; where it cannot, no call is made."""
        turn, live = self._turn, self._live
        assert turn is not None and live is not None
        asked: list[Result | ToolCall] = []
        for each in calls:
            work = Work()
            asked.append(self._sdk.asked(each.name, each.arguments, work))
            if work.fuel and not live.charge(work.fuel):
                return [_OUT_OF_FUEL] * len(calls)
        made = [each for each in asked if isinstance(each, ToolCall)]
        results = turn.answer(made) if made else ()
        for call, result in zip(made, results, strict=True):
            if isinstance(result, Returned):
                live.record_call(call.name, call.arguments)
        answers = iter(results)
        return [next(answers) if isinstance(each, ToolCall) else each for each in asked]
