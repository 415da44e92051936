"""Runs the cells of a session: the interpreter on one thread, the callbacks in an event loop."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future

from coderelay.core import CallError, Raised, Result, Returned, Work
from coderelay.core.cancellation import cancel_unless
from coderelay.core.unicode import sendable
from coderelay.engines.python import PythonEngine
from coderelay.engines.python.live.interpreter import Cell, Live, LiveCall, LiveLimits
from coderelay.engines.wasm.off_main import run_to_completion
from coderelay.languages.language_registry import engine
from coderelay.languages.python import PYTHON
from coderelay.session.callbacks import Callbacks, ToolCall
from coderelay.session.cell_output import CellOutput, render_cell
from coderelay.session.folder import Folder
from coderelay.session.sdk_module import MODULE, Sdk, guest_source
from coderelay.session.worker import start_in_loop

_CLOSED = "the session is closed: make a new one"
_OUT_OF_FUEL = Raised(CallError("the cell used up its CPU budget", name="LimitError"))


class SessionCall:
    """One call of the session's tool: which loop its callbacks run in, and whether it was stopped.

    The caller waits for the cell inside the `with` block of this object. If an exception leaves the
    block, the callbacks are cancelled.
    """

    def __init__(self, callbacks: Callbacks, loop: Callable[[], asyncio.AbstractEventLoop]) -> None:
        self._callbacks = callbacks
        self._loop = loop
        self._lock = threading.Lock()
        self._batch: Future[list[Result]] | None = None
        self._stop_reason = ""
        self.interpreter_ended_in: SessionCall | None = None
        """The call before this one, if the interpreter ended in it."""

    def answer(self, calls: Sequence[ToolCall]) -> Sequence[Result]:
        """Return the results of the calls, in order. Blocks the session's thread until then.

        Once the call was stopped, all results are errors and no callback is called.
        """
        with self._lock:
            if self._stop_reason:
                return self._cancelled(calls)
            try:
                batch = self._batch = start_in_loop(self._callbacks.answer(calls), self._loop())
            except RuntimeError:
                self._stop_reason = "the event loop is closed"
                return self._cancelled(calls)
        try:
            return batch.result()
        except CancelledError:
            self._stop_reason = self._stop_reason or "the event loop was closed"
            return self._cancelled(calls)

    def stop(self, reason: str) -> None:
        """Cancel the callbacks that run, and answer all further calls with an error."""
        with self._lock:
            self._stop_reason = reason
            batch = self._batch
        if batch is not None:
            batch.cancel()

    @property
    def stopped(self) -> bool:
        """Whether this call was stopped, so that nobody reads its output."""
        return bool(self._stop_reason)

    @property
    def must_report_restart(self) -> bool:
        """Whether the output of this call must say that the interpreter was restarted.

        That is so if the interpreter ended in the call before, and nobody read the output of that
        one. Read this property only when the output of this call is read: before, the caller of
        the other call may have gone while its event loop has not yet called `stop`.
        """
        return self.interpreter_ended_in is not None and self.interpreter_ended_in.stopped

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            run_to_completion(lambda: self.stop("its caller no longer waits for it"))

    def _cancelled(self, calls: Sequence[ToolCall]) -> list[Result]:
        return [Raised(CallError(f"the call was cancelled: {self._stop_reason}")) for _ in calls]


class Session:
    """The live interpreter with its tools and files.

    Only one thread may use it at a time; `stop` may be called from any thread.
    """

    def __init__(self, sdk: Sdk, folder: Folder, *, limits: LiveLimits, budget: int) -> None:
        self._sdk = sdk
        self._folder = folder
        self._limits = limits
        self._budget = budget
        self._live: Live | None = None
        self._current: SessionCall | None = None
        self._closed = False
        self._interpreter_ended_in: SessionCall | None = None
        """The last call, if the interpreter ended in it."""

    def run(self, source: str, call: SessionCall) -> CellOutput:
        """Run a cell, and return its output for the model.

        Raises `RuntimeError` if the session is closed.
        """
        self._current = call
        try:
            # This order matters: `stop` sets `_closed` first and then reads `_current`, so a call
            # that begins meanwhile is stopped by one side or the other.
            if self._closed:
                raise RuntimeError(_CLOSED)
            if self._live is None or not self._live.alive:
                self._folder.write_sdk(self._sdk.file)
            if self._live is None:
                self._live = self._start()
            call.interpreter_ended_in = self._interpreter_ended_in
            cell = self._run_cell(self._live, source, call)
        except FileNotFoundError as error:
            if not self._closed:
                raise
            # Closing the session removes its directory at once, on another thread.
            raise RuntimeError(_CLOSED) from error
        finally:
            self._current = None
        if self._closed and not cell.alive:
            return CellOutput("The code was stopped: the session was closed.", failed=True)
        output = render_cell(cell, self._budget, self._folder.save_output)
        return CellOutput(sendable(output.text), output.failed)

    def stop(self, reason: str) -> None:
        """Stop the cell that runs, and let no further cell begin. Its tool calls are cancelled."""
        self._closed = True
        call = self._current
        if call is not None:
            call.stop(reason)

    def close(self) -> None:
        """End the interpreter, and remove the directory if it is a temporary one."""
        self._closed = True
        if self._live is not None:
            self._live.close()
        self._folder.remove()

    def _run_cell(self, live: Live, source: str, call: SessionCall) -> Cell:
        # Set before the cell runs: an exception may end the interpreter and skip the rest.
        self._interpreter_ended_in = call
        with cancel_unless(lambda: not self._closed):
            cell = live.run(source)
        if cell.alive:
            self._interpreter_ended_in = None
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
        """Return the results of a batch of calls, in order.

        The host answers what it can itself, such as a search for tools or a call with wrong
        arguments; the callback gets the others together. The cell's fuel pays for the host's own
        work. If it does not suffice, no call is made.
        """
        current, live = self._current, self._live
        assert current is not None and live is not None
        checked: list[Result | ToolCall] = []
        for each in calls:
            work = Work()
            checked.append(self._sdk.resolve(each.name, each.arguments, work))
            if work.fuel and not live.charge(work.fuel):
                return [_OUT_OF_FUEL] * len(calls)
        tool_calls = [each for each in checked if isinstance(each, ToolCall)]
        results = current.answer(tool_calls) if tool_calls else ()
        for tool_call, result in zip(tool_calls, results, strict=True):
            if isinstance(result, Returned):
                live.record_call(tool_call.name, tool_call.arguments)
        answers = iter(results)
        return [next(answers) if isinstance(each, ToolCall) else each for each in checked]
