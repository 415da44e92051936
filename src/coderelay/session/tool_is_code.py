"""`ToolIsCode`: one tool that runs Python in a live session, where code calls the other tools."""

import asyncio
import re
import threading
import weakref
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from coderelay.core import InvalidTool, Json
from coderelay.core.json_values import NotJson, kind
from coderelay.declare import DECLARATION_TOKENS, UndeclaredArguments
from coderelay.engines.python.live.interpreter import LiveLimits
from coderelay.engines.python.live.quota import Quota
from coderelay.engines.wasm.off_main import run_to_completion
from coderelay.session import api_shapes
from coderelay.session.api_shapes import Api, ToolUse
from coderelay.session.callbacks import Callback, Callbacks, OnCall, OnResult
from coderelay.session.cell_output import BUDGET, RESTARTED, CellOutput
from coderelay.session.folder import Folder
from coderelay.session.sdk_module import Sdk
from coderelay.session.session_call import Session, SessionCall
from coderelay.session.session_instructions import code_tool, instructions
from coderelay.session.worker import LoopThread, Worker
from coderelay.tool_answers import is_async
from coderelay.wire import parse

TIMEOUT = 60.0
"""How many seconds a callback may take for one call, by default."""

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_calling_sessions: ContextVar[frozenset[Session]] = ContextVar(
    "coderelay_sessions", default=frozenset()
)
"""The sessions in whose callbacks the current code runs. Each of them waits for it."""


@dataclass(frozen=True, slots=True)
class _AcceptedCall:
    """A valid call of the code tool. `work` runs it, and must be awaited in `with session_call`."""

    tool_use: ToolUse
    session_call: SessionCall
    work: Callable[[], CellOutput]

    def reply(self, output: CellOutput) -> dict[str, Json]:
        """Return the output as an item for the model."""
        restarted = f"{RESTARTED}\n\n" if self.session_call.must_report_restart else ""
        return self.tool_use.reply(restarted + output.text, output.failed)


class ToolIsCode:
    """One `python` tool instead of many, which runs code in a live Python session.

        tic = ToolIsCode(tools, callback)
        response = client.responses.create(
            tools=tic.tools, instructions=tic.instructions, input=…, model=…
        )
        outputs = [tic.tool_call(item) for item in response.output]

    `callback(req_id, name, arguments)` answers a tool call; it may be async. The code gets what it
    returns: a string as that string, anything else as a JSON value. An exception is raised in the
    code as `ToolError`.
    """

    def __init__(
        self,
        tools: Iterable[Any],
        callback: Callback,
        *,
        api: Api = "responses",
        name: str = "python",
        directory: str | Path | None = None,
        timeout: float | None = TIMEOUT,
        output: int = BUDGET,
        declarations: int = DECLARATION_TOKENS,
        undeclared_arguments: UndeclaredArguments = "refuse",
        limits: LiveLimits | None = None,
        on_call: OnCall | None = None,
        on_result: OnResult | None = None,
    ) -> None:
        """Prepare a session. The interpreter starts with the first call.

        - `tools` are declarations in the format of `api` (`responses`, `chat` or `anthropic`), or
          functions that `@tool` decorates.
        - `name` is the name of the code tool.
        - `directory` is where code has its files. By default it is a temporary directory, which
          `close` removes.
        - `timeout` is in seconds, for each call of `callback`. None means no timeout.
        - `output` is how many characters the model gets from one call of the code tool.
        - `declarations` is how many tokens of the instructions the tools' declarations may take.
          If they need more, the instructions have an index of the tools instead.
        - `undeclared_arguments`: an argument that a tool does not declare is refused with the
          nearest name, unless the tool's schema allows it or this is `allow`.
        - `on_call` is called before each tool call and may raise `Refused`; `on_result` is called
          after it, with its result and duration.
        """
        if api not in api_shapes.APIS:
            raise ValueError(f"there is no API {api!r}: choose one of {', '.join(api_shapes.APIS)}")
        if not _NAME.fullmatch(name):
            raise ValueError(
                f"name is {name!r}: use 1 to 64 letters (A to Z, a to z), digits, '_' and '-'"
            )
        if not callable(callback):
            raise TypeError(f"callback is {callback!r:.100}: pass a function")
        if timeout is not None and timeout <= 0:
            raise ValueError(f"timeout is {timeout:g}: it must be more than 0 seconds, or None")
        if output < 1:
            raise ValueError(f"output is {output}: it must be at least 1 character")
        split = api_shapes.split_tools(tools)
        if any(api_shapes.name_of(other) == name for other in split.others):
            raise InvalidTool(f"another tool is named {name!r} too: name the code tool with name=…")
        limits = limits or LiveLimits()
        sdk = Sdk(split.functions, undeclared_arguments)
        self._name = name
        declaration = api_shapes.declaration_for(api, code_tool(name))
        self._tools = (*split.before, declaration, *split.after)
        self._instructions = partial(
            instructions, sdk, tool=name, limits=limits, output=output, budget=declarations
        )
        self._callbacks = Callbacks(callback, timeout, limits.result, on_call, on_result)
        self._worker, self._loops = Worker(), LoopThread()
        folder = Folder(directory, Quota(limits.files, limits.entries))
        self._session = Session(sdk, folder, limits=limits, budget=output)
        self._ended = threading.Event()
        self._end = weakref.finalize(
            self, _end, self._session, self._worker, self._loops, folder, self._ended
        )
        folder.make()  # only now that the finalizer is sure to remove it
        self.directory = folder.path
        """The directory with the files of the session."""

    @property
    def tools(self) -> list[Any]:
        """The tools for the model: the code tool instead of all functions, the others unchanged."""
        return list(self._tools)

    @cached_property
    def instructions(self) -> str:
        """The instructions for the model. Put them into the system prompt."""
        return self._instructions()

    def tool_call(self, item: Any) -> dict[str, Json] | None:
        """Run a call of the code tool, and return its output as an item for the model.

        Returns None for any other item. A mistake of the model, such as wrong arguments or code
        that fails, is reported to the model in the output, and raises no exception.
        """
        call = self._accept(item, None)
        if not isinstance(call, _AcceptedCall):
            return call
        with call.session_call:
            return call.reply(self._worker.run(call.work))

    async def atool_call(self, item: Any) -> dict[str, Json] | None:
        """Like `tool_call`, but async: an async callback runs in the caller's event loop."""
        call = self._accept(item, asyncio.get_running_loop())
        if not isinstance(call, _AcceptedCall):
            return call
        with call.session_call:
            return call.reply(await asyncio.wrap_future(self._worker.submit(call.work)))

    def close(self) -> None:
        """End the session, and remove a temporary directory. It may be called more than once."""
        # A callback must not wait for the end of its own session, which waits for the callback.
        inside = self._session in _calling_sessions.get()

        def end() -> None:
            self._end()
            if not inside:
                self._ended.wait()

        run_to_completion(end)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _accept(
        self, item: Any, loop: asyncio.AbstractEventLoop | None
    ) -> _AcceptedCall | dict[str, Json] | None:
        """Return a call that is to be run, the reply to a call with wrong arguments, or None for
        an item that is not for us.

        Async callbacks run in `loop`, or, if it is None, in a loop on a thread of the session.
        """
        tool_use = api_shapes.read_tool_use(item)
        if tool_use is None or tool_use.name != self._name:
            return None
        source = self._source(tool_use.arguments)
        if isinstance(source, CellOutput):
            return tool_use.reply(source.text, source.failed)
        if loop is None:
            self._refuse_blocking()
        call = SessionCall(self._callbacks, self._loops.loop if loop is None else lambda: loop)
        return _AcceptedCall(tool_use, call, self._work(source, call))

    def _source(self, arguments: Json) -> str | CellOutput:
        """Return the model's code, or an error for the model if its arguments are wrong."""
        try:
            value = parse(arguments) if isinstance(arguments, str) else arguments
        except NotJson as error:
            return self._arguments_error(f"are not valid JSON ({error})")
        code = value.get("code") if isinstance(value, dict) else None
        if isinstance(code, str):
            return code
        if isinstance(value, dict):
            return self._arguments_error("have no text 'code'")
        return self._arguments_error(f"are {kind(value)}")

    def _arguments_error(self, why: str) -> CellOutput:
        form = '{"code": "print(1 + 1)"}'
        return CellOutput(
            f"The arguments of `{self._name}` {why}. Call it with {form}.", failed=True
        )

    def _work(self, source: str, call: SessionCall) -> Callable[[], CellOutput]:
        """Return the function that runs the code on the session's thread.

        Raises `RuntimeError` in a callback of this session: the two would wait for each other.
        """
        outer, session = _calling_sessions.get(), self._session
        if session in outer:
            raise RuntimeError(
                "a callback cannot call the session that waits for it: use another session"
            )

        def work() -> CellOutput:
            _calling_sessions.set(outer | {session})
            return session.run(source, call)

        return work

    def _refuse_blocking(self) -> None:
        """Raise `RuntimeError` if an async callback would need the event loop that we block."""
        callbacks = self._callbacks
        hooks = (callbacks.callback, callbacks.on_call, callbacks.on_result)
        if not any(is_async(each) for each in hooks if each is not None):
            return
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return
        raise RuntimeError("an event loop is running here: use `await tic.atool_call(item)`")


def _end(
    session: Session, worker: Worker, loops: LoopThread, folder: Folder, ended: threading.Event
) -> None:
    """End a session. Also runs when it is garbage-collected, and when the process exits."""

    def last() -> None:
        try:
            session.close()
        finally:
            loops.close()
            ended.set()

    def end() -> None:
        session.stop("the session was closed")
        worker.close(last)
        folder.remove()

    run_to_completion(end)
