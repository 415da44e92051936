"""Many function tools behind one: the model writes Python against them, in a live session."""

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
from coderelay.engines.wasm.off_main import to_its_end
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
"""Seconds that a callback has for one call."""

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_inside: ContextVar[frozenset[Session]] = ContextVar("coderelay_sessions", default=frozenset())
"""The sessions whose callbacks the current code runs in."""


@dataclass(frozen=True, slots=True)
class _Accepted:
    """A call that is to be carried out, inside of its turn's `with` block."""

    asked: ToolUse
    turn: SessionCall
    work: Callable[[], CellOutput]

    def output(self, told: CellOutput) -> dict[str, Json]:
        restarted = f"{RESTARTED}\n\n" if self.turn.tells_of_restart else ""
        return self.asked.reply(restarted + told.text, told.failed)


class ToolIsCode:
    """One `python` tool in place of many, backed by a live Python session.

        tic = ToolIsCode(tools, callback)
        response = client.responses.create(
            tools=tic.tools, instructions=tic.instructions, input=…, model=…
        )
        outputs = [tic.tool_call(item) for item in response.output]

    `callback(req_id, name, arguments)` answers a tool call; it may be async. A string arrives in
    the program as that string, anything else as the JSON value; an exception as `ToolError`.
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
        """Get ready; the interpreter starts with the first call.

        `api` is the shape of `tools`: `responses`, `chat` or `anthropic`. `directory` is where
        programs have their files; without one it is temporary. `timeout` is in seconds for each
        tool call, `output` in characters that the model reads of each of its own, `declarations`
        in tokens that the instructions may spend on them. A call with an argument that its tool
        does not declare is refused with the nearest name, unless the tool's schema lets it pass or
        `undeclared_arguments` is `allow`. `on_call` hears of each call before it
        is made, and may raise `Refused`; `on_result` hears how it ended.
        """
        if api not in api_shapes.APIS:
            raise ValueError(f"there is no API {api!r}: choose one of {', '.join(api_shapes.APIS)}")
        if not _NAME.fullmatch(name):
            raise ValueError(f"a tool cannot be named {name!r}: use letters, digits, '_' and '-'")
        if not callable(callback):
            raise TypeError(f"the callback is {callback!r:.100}, which cannot be called")
        if timeout is not None and timeout <= 0:
            raise ValueError(f"no tool can answer within {timeout:g} seconds")
        if output < 1:
            raise ValueError(f"the model cannot read {output} characters of output")
        given = api_shapes.given(tools)
        if any(api_shapes.name_of(other) == name for other in given.others):
            raise InvalidTool(f"a tool that is no function is named {name!r} too: use name=…")
        limits = limits or LiveLimits()
        sdk = Sdk(given.functions, undeclared_arguments)
        self._name = name
        self._tools = (*given.before, api_shapes.offered(code_tool(name), api), *given.after)
        self._instructions = partial(
            instructions, sdk, tool=name, limits=limits, shown=output, budget=declarations
        )
        self._callbacks = Callbacks(callback, timeout, limits.result, on_call, on_result)
        self._worker, self._loops = Worker(), LoopThread()
        folder = Folder(directory, Quota(limits.files, limits.entries))
        self._session = Session(sdk, folder, limits=limits, budget=output)
        self._ended = threading.Event()
        self._end = weakref.finalize(
            self, _end, self._session, self._worker, self._loops, folder, self._ended
        )
        folder.make()  # now that somebody will remove it, whatever happens
        self.directory = folder.path
        """Where the programs' files are."""

    @property
    def tools(self) -> list[Any]:
        """The tools for the model: ours in place of all functions, and the others untouched."""
        return list(self._tools)

    @cached_property
    def instructions(self) -> str:
        """What to tell the model, for the system prompt."""
        return self._instructions()

    def tool_call(self, item: Any) -> dict[str, Json] | None:
        """Carry out a call of our tool; its output as an item for the model. None for any other
        item. Whatever the model wrote is answered in words, and raises nothing."""
        call = self._accept(item, None)
        if not isinstance(call, _Accepted):
            return call
        with call.turn:
            return call.output(self._worker.run(call.work))

    async def atool_call(self, item: Any) -> dict[str, Json] | None:
        """The same beside an event loop: an async callback runs in the loop of the caller."""
        call = self._accept(item, asyncio.get_running_loop())
        if not isinstance(call, _Accepted):
            return call
        with call.turn:
            return call.output(await asyncio.wrap_future(self._worker.submit(call.work)))

    def close(self) -> None:
        """End the session, and remove a temporary directory. Closing twice is no error."""
        inside = self._session in _inside.get()

        def end() -> None:
            self._end()
            if not inside:
                self._ended.wait()

        to_its_end(end)

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
    ) -> _Accepted | dict[str, Json] | None:
        """A call to carry out, with callbacks in this loop or in our own; or the answer to it."""
        asked = api_shapes.asked(item)
        if asked is None or asked.name != self._name:
            return None
        source = self._source(asked.arguments)
        if isinstance(source, CellOutput):
            return asked.reply(source.text, source.failed)
        if loop is None:
            self._refuse_blocking()
        turn = SessionCall(self._callbacks, self._loops.loop if loop is None else lambda: loop)
        return _Accepted(asked, turn, self._work(source, turn))

    def _source(self, arguments: Json) -> str | CellOutput:
        """The code that a model wrote, or what is wrong with its arguments."""
        try:
            given = parse(arguments) if isinstance(arguments, str) else arguments
        except NotJson as error:
            return self._misfit(f"are not JSON, {error}")
        code = given.get("code") if isinstance(given, dict) else None
        if isinstance(code, str):
            return code
        if isinstance(given, dict):
            return self._misfit("have no text 'code'")
        return self._misfit(f"are {kind(given)}")

    def _misfit(self, why: str) -> CellOutput:
        form = '{"code": "print(1 + 1)"}'
        return CellOutput(
            f"The arguments of `{self._name}` {why}. Call it with {form}.", failed=True
        )

    def _work(self, source: str, turn: SessionCall) -> Callable[[], CellOutput]:
        """What the session's thread does. It is told whose callbacks it calls."""
        inside, session = _inside.get(), self._session
        if session in inside:
            raise RuntimeError("a callback cannot call the session that waits for it")

        def work() -> CellOutput:
            _inside.set(inside | {session})
            return session.run(source, turn)

        return work

    def _refuse_blocking(self) -> None:
        """An async callback belongs to the caller's loop, which must not be blocked meanwhile."""
        every = self._callbacks
        hooks = (every.callback, every.on_call, every.on_result)
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
    """Also runs when the session is garbage, and when the process ends."""

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

    to_its_end(end)
