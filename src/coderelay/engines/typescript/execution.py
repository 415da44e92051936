"""Runs one TypeScript program, step by step."""

import json
import struct
from collections.abc import Callable, Hashable, Sequence

from coderelay.core import Failure, Limits, Program, Raised, Result, ToolName
from coderelay.engines.bound_names import named_tools, possible_names
from coderelay.engines.typescript.checkpoints import Checkpoint, Checkpoints
from coderelay.engines.typescript.failure_report import Thrown
from coderelay.engines.typescript.imports import enter, leave
from coderelay.engines.typescript.instance_pool import TypeScriptPool
from coderelay.engines.typescript.prepare import Preparer
from coderelay.engines.typescript.quickjs import GuestMemoryExhausted, QuickJsInstance
from coderelay.engines.typescript.stack import FILE
from coderelay.engines.wasm.backstop import Backstop
from coderelay.engines.wasm.guest_execution import NO_MEMORY, GuestExecution
from coderelay.engines.wasm.payload import has_long_integer, without_surrogates

MEMORY = 64 * 1024 * 1024
_NAME, _TEXT = 1_000, 50_000
_MONOTONIC = 1
_LEVELS = {level: level for level in "debug error info log text trace warn".split()}
"""The levels that a line may have. A program cannot make up others, because the length of a level
does not count towards the limit of the logs."""
_MESSAGE, _READING, _DEAL = 200_000, 50_000, 5_000_000
"""How much fuel a program pays for a message to the host and for a reading of the clock: about what
it costs the host. Otherwise a loop over `console.log('')` or `Date.now()` would be ended by the
backstop, and not by its fuel. It is collected when more than the third number is due."""


_REACHING = frozenset("Function constructor eval global globalThis self this tools window".split())
"""Names by which a program can reach other names that do not occur in its source."""


class TypeScriptExecution(GuestExecution):
    """Calls the harness, handles its messages, and runs the job queue after each call."""

    memory = MEMORY

    def __init__(
        self,
        program: Program,
        names: Sequence[ToolName],
        limits: Limits,
        *,
        backstop: Backstop,
        preparer: Preparer,
        pool: TypeScriptPool,
        checkpoints: Checkpoints,
    ) -> None:
        super().__init__(program, tuple(names), limits, backstop)
        self._preparer = preparer
        self._pool = pool
        self._checkpoints = checkpoints
        self._instance: QuickJsInstance | None = None
        self._unhandled: dict[int, tuple[int, int]] = {}
        self._due = 0
        self._handlers: dict[bytes, Callable[..., bool]] = {
            b"log": lambda level, text: self.ledger.log(
                _LEVELS.get(self._text(level, _NAME), "log"), self._text(text, limits.logs)
            ),
            b"call": lambda name, arguments: self.ledger.call(
                self._text(name, _NAME), self._text(arguments, limits.arguments)
            ),
            b"complete": lambda value: self.ledger.complete(self._text(value, limits.value)),
            b"fail": lambda *parts: self._fail(Thrown(*(self._text(p, _TEXT) for p in parts))),
            b"advance": lambda time: self._advance_clock(self._text(time, _NAME)),
        }

    # Methods that the base class needs.

    def open(self) -> None:
        """Take an instance in its initial state."""
        self._instance = self._pool.take(
            MEMORY if self.limits.memory is None else self.limits.memory
        )
        self.store = self._instance.store

    def begin(self) -> None:
        """Prepare the source, and run the program until it waits for calls or has ended.

        A program that was run before continues from its checkpoint, if it has one.
        """
        prepared = self._preparer.prepare(self.program.source)
        if isinstance(prepared, Failure):
            self.ledger.fail(prepared)
            return
        self._prepared = prepared
        key = (self.program, self.names, self.limits)
        checkpoint = self._checkpoints.find(key)
        if checkpoint is not None:
            self._resume(checkpoint)
            return
        self._guarded(self._load, prepared.code)
        if self.ledger.batch and self._checkpoints.is_repeated(key):
            self._save(key)

    def _save(self, key: Hashable) -> None:
        pages = self._pool.pages(self._guest)
        if pages is not None:
            unhandled, elapsed = tuple(self._unhandled.items()), self.clock.elapsed
            fuel, ledger = self.store.get_fuel(), self.ledger.copy()
            self._checkpoints.add(key, Checkpoint(pages, unhandled, elapsed, fuel, ledger))

    def _resume(self, checkpoint: Checkpoint) -> None:
        for at, page in checkpoint.pages:
            self._guest.write(at, page)
        self._unhandled.update(checkpoint.unhandled)
        self.clock.advance_to(checkpoint.elapsed)
        self.store.set_fuel(checkpoint.fuel)
        self.ledger = checkpoint.ledger.copy()

    def _load(self, code: str) -> None:
        seed = struct.unpack("<III", self.program.seed[:12])
        tools = [[name.name, name.identifiers] for name in _bound(self.names, self.program.source)]
        config = json.dumps({"seed": seed, "tools": tools})
        if not self._enter("start", config):
            return
        evaluated = self._guest.evaluate(code, FILE)
        if self._guest.call("qjs_is_exception", evaluated):
            self._take_exception("syntax")
        elif self._enter("begin", evaluated):
            self._run()

    def deliver(self, results: Sequence[Result], payloads: Sequence[str]) -> None:
        """Give the program all results of the batch with one call of the harness."""
        entry = "settle"
        settled = []
        for result, payload in zip(results, payloads, strict=True):
            if isinstance(result, Raised):
                error = result.error
                settled.append(json.dumps([False, error.name, payload, error.kind]))
                continue
            if has_long_integer(payload):
                entry = "settleExactly"
            payload = without_surrogates(payload)
            settled.append(f"[true,{payload}]")
        self._guarded(self._settle, entry, f"[{','.join(settled)}]")

    def _settle(self, entry: str, batch: str) -> None:
        if self._enter(entry, batch):
            self._run()

    def drop(self) -> None:
        """Give the instance back to the pool, or close it if it cannot be entered again."""
        if self._instance is not None:
            if self.reusable:
                self._pool.give_back(self._instance)
            else:
                self._instance.store.close()
            self._instance = None

    def is_out_of_memory(self) -> bool:
        """Return whether the guest's memory has grown to its limit."""
        return self._guest.is_full

    # Methods that the host functions call.

    def on_message(self, name: bytes, arguments: Sequence[int]) -> int:
        """Handle a message of the harness, and return a handle to undefined."""
        self._charge(_MESSAGE)
        if not self._handlers[name](*arguments):
            self.stop()
        return self._guest.undefined()

    def on_rejection(self, promise: int, reason: int, handled: int) -> None:
        """Remember a promise that was rejected without a handler, until it gets one."""
        self._charge(_MESSAGE)
        guest = self._guest
        identity = guest.call("qjs_get_value_ptr", promise)
        if not handled:
            # The handle keeps the promise alive, so no other one can get its address.
            self._unhandled[identity] = (promise, reason)
            return
        for handle in (promise, reason, *self._unhandled.pop(identity, ())):
            guest.free(handle)

    def time(self, clock: int) -> int:
        """Return the time of the virtual clock, in nanoseconds."""
        self._charge(_READING)
        return self.clock.monotonic() if clock == _MONOTONIC else self.clock.wall()

    # Steps.

    @property
    def _guest(self) -> QuickJsInstance:
        assert self._instance is not None
        return self._instance

    def _guarded(self, work: Callable[..., None], *arguments: str) -> None:
        """Run work that enters the guest. If the guest has no memory for what the host passes to
        it, the program has exceeded its memory limit."""
        enter(self, self._guest)
        try:
            work(*arguments)
            self._collect()
        except GuestMemoryExhausted:
            self.ledger.exceed("memory", NO_MEMORY)
        finally:
            leave()

    def _charge(self, fuel: int) -> None:
        """Add to the fuel that is due for the host's work. It is not subtracted each time, because
        reading the remaining fuel costs as much as the work."""
        self._due += fuel
        if self._due > _DEAL:
            self._collect()

    def _collect(self) -> None:
        self.store.set_fuel(max(0, self.store.get_fuel() - self._due))
        self._due = 0

    def _enter(self, entry: str, argument: str | int) -> bool:
        """Call the harness with a text or a handle, and return whether it did not throw."""
        if isinstance(argument, str):
            threw = self._guest.enter_text(entry, argument)
        else:
            threw = self._guest.enter(entry, argument)
        if threw:
            self._take_exception("exception")
        return not threw

    def _run(self) -> None:
        """Run jobs and timers until the program waits for calls or has ended.

        Timers fire only while no call waits and the program has neither returned nor thrown.
        """
        self._drain()
        while not self.ledger.batch and not self.ledger.settled and self._fire_timer():
            self._drain()
        if not self.ledger.batch:
            self._report_unhandled()

    def _drain(self) -> None:
        while self._guest.call("drain"):  # a job threw, for which there was too little memory
            self._take_exception("exception")

    def _fire_timer(self) -> bool:
        fired = self._guest.call_for_bool("fire")
        if fired is None:
            self._take_exception("exception")
        return bool(fired)

    def _report_unhandled(self) -> None:
        while self._unhandled:
            promise, reason = self._unhandled.pop(next(iter(self._unhandled)))
            self._enter("reject", reason)
            self._guest.free(promise)
            self._drain()

    def _take_exception(self, kind: str) -> None:
        """Record an error that no code in the guest has caught."""
        error = self._guest.call("qjs_get_exception")
        name, message, stack = (
            self._property(error, part) for part in ("name", "message", "stack")
        )
        if kind == "syntax" and name != "SyntaxError":
            kind = "exception"
        self._guest.free(error)
        self._fail(Thrown(name, message, stack, kind))

    def _property(self, value: int, name: str) -> str:
        handle = self._guest.property(value, name)
        text = self._text(handle, _TEXT)
        self._guest.free(handle)
        return text

    def _fail(self, thrown: Thrown) -> bool:
        if thrown.is_out_of_memory(self._guest.is_full):
            self.stop()  # jobs that are still in the queue must not run
            return self.ledger.exceed("memory", NO_MEMORY)
        if self.ledger.settled:
            return True  # only the first failure counts, and finding its place is work
        failure = thrown.failure(self.program.source, self._prepared, self.names)
        return self.ledger.fail(failure)

    def _advance_clock(self, milliseconds: str) -> bool:
        self.clock.advance_to_wall(int(float(milliseconds) * 1e6))
        return True

    def _text(self, handle: int, limit: int) -> str:
        return self._guest.string(handle, limit)


def _bound(names: Sequence[ToolName], source: str) -> Sequence[ToolName]:
    """Return the tools that the program can reach. The others are not defined in its guest."""
    known = possible_names(source)
    if "\\u" in source or not known.isdisjoint(_REACHING):  # a name may be written in escapes
        return names
    return named_tools(names, known)
