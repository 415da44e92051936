"""One TypeScript program under way."""

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
from coderelay.engines.typescript.quickjs import GuestMemoryExhausted, QuickJsGuest
from coderelay.engines.typescript.stack import FILE
from coderelay.engines.wasm.backstop import Backstop
from coderelay.engines.wasm.guest_execution import NO_MEMORY, GuestExecution
from coderelay.engines.wasm.payload import has_long_integer, without_surrogates

MEMORY = 64 * 1024 * 1024
_NAME, _TEXT = 1_000, 50_000
_MONOTONIC = 1
_LEVELS = {level: level for level in "debug error info log text trace warn".split()}
"""The levels that a line may have. They count for nothing, so a program may not make up its own."""
_WORD, _READING, _DEAL = 200_000, 50_000, 5_000_000
"""Fuel for what the host does for a guest, about what the guest could spend in that time. Unpaid,
a loop over `console.log('')` or `Date.now()` would meet the wall clock and not its budget."""


_REACHING = frozenset("Function constructor eval global globalThis self this tools window".split())
"""Words by which a program can come to names that its source does not show."""


class TypeScriptExecution(GuestExecution):
    """Enters the harness, hears what it says, and drains the job queue after each entry."""

    memory = MEMORY

    def __init__(
        self,
        program: Program,
        names: Sequence[ToolName],
        limits: Limits,
        *,
        backstop: Backstop,
        preparer: Preparer,
        stock: TypeScriptPool,
        checkpoints: Checkpoints,
    ) -> None:
        super().__init__(program, tuple(names), limits, backstop)
        self._preparer = preparer
        self._stock = stock
        self._checkpoints = checkpoints
        self._held: QuickJsGuest | None = None
        self._unhandled: dict[int, tuple[int, int]] = {}
        self._due = 0
        self._hears: dict[bytes, Callable[..., bool]] = {
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

    # What the base class asks of a language.

    def open(self) -> None:
        """Take a pristine instance."""
        self._held = self._stock.take(MEMORY if self.limits.memory is None else self.limits.memory)
        self.store = self._held.store

    def begin(self) -> None:
        """Prepare the source, give the harness the tools, and run the program."""
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
        if self.ledger.batch and self._checkpoints.is_met_again(key):
            self._save(key)

    def _save(self, key: Hashable) -> None:
        pages = self._stock.pages(self._guest)
        if pages is not None:
            unhandled, elapsed = tuple(self._unhandled.items()), self.clock.elapsed
            fuel, ledger = self.store.get_fuel(), self.ledger.copy()
            self._checkpoints.keep(key, Checkpoint(pages, unhandled, elapsed, fuel, ledger))

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
        """Settle the batch with one entry into the guest."""
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
        """Give the guest back, or throw it away."""
        if self._held is not None:
            if self.reusable:
                self._stock.give_back(self._held)
            else:
                self._held.store.close()
            self._held = None

    def is_out_of_memory(self) -> bool:
        """Whether the guest's memory has grown to its limit."""
        return self._guest.is_out_of_memory

    # What the imports ask of an execution.

    def told(self, word: bytes, arguments: Sequence[int]) -> int:
        """The harness says something, by one of its five words."""
        self._charge(_WORD)
        if not self._hears[word](*arguments):
            self.stop()
        return self._guest.undefined()

    def rejected(self, promise: int, reason: int, handled: int) -> None:
        """Remember a rejection that nothing handles, until something does."""
        self._charge(_WORD)
        guest = self._guest
        identity = guest.call("qjs_get_value_ptr", promise)
        if not handled:
            self._unhandled[identity] = (promise, reason)  # held: the place stays its own
            return
        for handle in (promise, reason, *self._unhandled.pop(identity, ())):
            guest.free(handle)

    def time(self, clock: int) -> int:
        """Nanoseconds by the virtual clock."""
        self._charge(_READING)
        return self.clock.monotonic() if clock == _MONOTONIC else self.clock.wall()

    # Steps.

    @property
    def _guest(self) -> QuickJsGuest:
        assert self._held is not None
        return self._held

    def _guarded(self, work: Callable[..., None], *arguments: str) -> None:
        """Do what enters the guest. Where it has no room for what the host must give it, the
        program is over."""
        enter(self, self._guest)
        try:
            work(*arguments)
            self._collect()
        except GuestMemoryExhausted:
            self.ledger.exceed("memory", NO_MEMORY)
        finally:
            leave()

    def _charge(self, fuel: int) -> None:
        """Charge for the host's work. It is collected when a good deal is due: asking for the
        fuel that is left costs as much as the work."""
        self._due += fuel
        if self._due > _DEAL:
            self._collect()

    def _collect(self) -> None:
        self.store.set_fuel(max(0, self.store.get_fuel() - self._due))
        self._due = 0

    def _enter(self, entry: str, argument: str | int) -> bool:
        """Call the harness with a text or a handle. Says whether it went well."""
        if isinstance(argument, str):
            threw = self._guest.enter_text(entry, argument)
        else:
            threw = self._guest.enter(entry, argument)
        if threw:
            self._take_exception("exception")
        return not threw

    def _run(self) -> None:
        """Run until nothing can: jobs first, then a timer if no call waits and main is open."""
        self._drain()
        while not self.ledger.batch and not self.ledger.settled and self._fire_timer():
            self._drain()
        if not self.ledger.batch:
            self._report_unhandled()

    def _drain(self) -> None:
        while self._guest.call("drain"):  # a job that could not even fail: there is no memory
            self._take_exception("exception")

    def _fire_timer(self) -> bool:
        fired = self._guest.ask("fire")
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
        """Take an error that reached the host itself."""
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
        if thrown.is_memory(self._guest.is_out_of_memory):
            self.stop()  # a job that comes after this one must not go on
            return self.ledger.exceed("memory", NO_MEMORY)
        if self.ledger.settled:
            return True  # only the first failure counts, and placing one is work
        failure = thrown.failure(self.program.source, self._prepared, self.names)
        return self.ledger.fail(failure)

    def _advance_clock(self, milliseconds: str) -> bool:
        self.clock.advance_to_wall(int(float(milliseconds) * 1e6))
        return True

    def _text(self, handle: int, limit: int) -> str:
        return self._guest.string(handle, limit)


def _bound(names: Sequence[ToolName], source: str) -> Sequence[ToolName]:
    known = possible_names(source)
    if "\\u" in source or not known.isdisjoint(_REACHING):  # a name may be written in escapes
        return names
    return named_tools(names, known)
