"""One program, from its text to its end."""

import asyncio
import builtins
import gc
import linecache
import random
import sys
from asyncio import events
from collections.abc import Callable
from types import CodeType, CoroutineType, FunctionType, ModuleType
from typing import Any, Protocol

from relay import failures, jsontext
from relay.calls import Calls, ToolError
from relay.forms import FILE, is_async, needed, own_main, unpack
from relay.loop import VirtualLoop
from relay.output import WARNING
from relay.pristine import __builtins__  # noqa: F401
from relay.rewrite import RETURNED
from relay.values import encode

_set_running_loop = events._set_running_loop
_set_asyncgen_hooks = sys.set_asyncgen_hooks
_modules = sys.modules
_seed = random.seed
_lines = linecache.cache
_exit = SystemExit
_collect = gc.collect


class Host(Protocol):
    """The host's functions."""

    call: Callable[[str, str], int]
    log: Callable[[int, str], None]
    complete: Callable[[str], None]
    fail: Callable[[str], None]
    wait: Callable[[int], int]


class Session:
    """A program under way: entered once to start it, then once for each batch."""

    def __init__(self, host: Host, source: str, setup: list[Any]) -> None:
        tools, seed, self._limit, arguments = setup
        self._host = host
        self._source = source
        self._loop = VirtualLoop(host.wait, self._warn)
        self._calls = Calls(host.call, self._loop, arguments)
        self._settled = False
        self._main: Any = None
        self._names = self._namespace(tools)
        _lines[FILE] = (lambda: source,)  # read when a traceback is shown
        if seed is not None:
            _seed(int(seed, 16))

    def start(self, code: str) -> None:
        """Run the program until it can go no further."""
        parts, call_main = unpack(code)
        loop = self._loop
        _set_running_loop(loop)
        _set_asyncgen_hooks(loop._asyncgen_firstiter_hook, loop._asyncgen_finalizer_hook)  # type: ignore[attr-defined]
        self._main = self._run(parts, call_main)
        loop.create_task(self._main)
        self._drive()

    def resume(self, results: str) -> None:
        """Deliver a batch and run on."""
        for index, error, value in jsontext.read(results):
            self._calls.settle(index, error, value)
        self._drive()

    def run_nested(self, main: Any, *, debug: Any = None, loop_factory: Any = None) -> Any:
        """What `asyncio.run` does where it could not be rewritten."""
        return self._loop.run_nested(main, lambda: bool(self._calls.waiting))

    def _namespace(self, tools: list[Any]) -> dict[str, Any]:
        program, module = ModuleType("__main__"), ModuleType("tools", "The tools.")
        _modules["__main__"], _modules["tools"] = program, module
        names = program.__dict__
        names["__builtins__"] = builtins
        names["asyncio"] = asyncio
        names["ToolError"] = module.ToolError = ToolError  # type: ignore[attr-defined]
        for name, identifiers, parameters in tools:
            tool = self._calls.tool(name, identifiers[0], parameters)
            for identifier in identifiers:
                names[identifier] = module.__dict__[identifier] = tool
        return names

    async def _run(self, parts: tuple[CodeType, ...], call_main: bool) -> None:
        try:
            value, names = None, self._names
            for code in parts:
                value = FunctionType(code, names)()
                if is_async(code):
                    value = await value
            main = own_main(names) if call_main else None
            if main is not None and not needed(main):
                value = main()
            elif value is None:
                value = names.get(RETURNED)
                if value is None and main is not None:
                    self._fail(failures.describe_main(main))
                    return
            if type(value) is CoroutineType:
                value = await value
            self._complete(value)
        except BaseException as error:
            self._raised(error)

    def _complete(self, value: Any) -> None:
        text = encode(value, "the value", self._limit)
        self._settled = True
        self._host.complete(text)

    def _raised(self, error: BaseException) -> None:
        if type(error) is _exit and not error.code:
            self._complete(None)
            return
        try:
            failure = failures.describe(error, self._source, self._calls.idle)
        except BaseException:  # an error that does not let itself be looked at
            failure = failures.describe_hidden(error)
        self._fail(failure)

    def _fail(self, failure: dict[str, Any]) -> None:
        self._settled = True
        self._calls.idle.clear()  # it may have been about to await them
        self._host.fail(jsontext.write(failure))

    def _drive(self) -> None:
        while True:
            try:
                self._loop.run_ready()
            except BaseException as error:  # a task other than main's left the loop
                if not self._settled:
                    self._raised(error)
                continue
            if self._calls.waiting:
                return
            if not self._settled and self._loop.fire_timer():
                continue
            if not self._settled:
                self._fail(failures.describe_deadlock(self._main, self._source))
            self._end()
            return

    def _end(self) -> None:
        """Let go of the program, so that tasks whose errors nobody saw tell them."""
        self._calls.over = True
        for message in self._calls.never_awaited():
            self._warn(message, None)
        self._names.clear()
        if self._loop.tasks > 1:
            _collect()

    def _warn(self, message: str, error: BaseException | None) -> None:
        text = f"{message}: {failures.summary(error)}" if error is not None else message
        self._host.log(WARNING, text + "\n")
