"""Every limit: at it a program is fine, beyond it the failure names it."""

from dataclasses import replace

import pytest
import wasmtime

from coderelay.core import Completed, Failed, Limits, Returned, Suspended, TimedOut
from coderelay.engines.wasm.backstop import Backstop, Watch
from tests.typescript.driving import LIMITS, drive, replay, start

MB = 1024 * 1024

# limit, limits, a program at the limit, a program beyond it, and a part of the message
CASES = {
    "fuel": ({"fuel": 50_000_000}, "1", "for (;;);", "CPU budget"),
    "memory": (
        {"memory": 16 * MB},
        "new Uint8Array(6e6).length",
        "const all = []; for (;;) all.push(new Uint8Array(1e6))",
        "memory",
    ),
    "source": (
        {"source": 20},
        "/* 456789012345 */ 1",
        "/* 456789012345 */ 12",
        "21 bytes, the limit is 20",
    ),
    "arguments": (
        {"arguments": 100},
        "get('x'.repeat(98)); 0",
        "get('x'.repeat(99)); 0",
        "the arguments of get are over 100 bytes",
    ),
    "arguments in bytes": (
        {"arguments": 100},
        "get('é'.repeat(49)); 0",
        "get('é'.repeat(49) + 'x'); 0",
        "the arguments of get are over 100 bytes",
    ),
    "calls": (
        {"calls": 5},
        "for (let i = 0; i < 5; i++) await get(i); 0",
        "for (let i = 0; i < 6; i++) await get(i); 0",
        "may make 5 calls",
    ),
    "waiting": (
        {"waiting": 5},
        "for (let i = 0; i < 2; i++) await Promise.all([1, 2, 3, 4, 5].map(x => get(x))); 0",
        "await Promise.all([1, 2, 3, 4, 5, 6].map(x => get(x)))",
        "5 calls may wait at once",
    ),
    "value": ({"value": 100}, "'x'.repeat(98)", "'x'.repeat(99)", "the value is over 100 bytes"),
    "value in bytes": ({"value": 100}, "'é'.repeat(49)", "'é'.repeat(50)", "the value is over"),
    "logs": (
        {"logs": 100},
        "console.log('x'.repeat(49)); text('x'.repeat(50)); 0",
        "console.log('x'.repeat(49)); text('x'.repeat(51)); 0",
        "the logs are over 100 bytes: print less",
    ),
    "logs of empty lines": (
        {"logs": 100},
        "for (let i = 0; i < 2; i++) console.log(''); 0",
        "for (let i = 0; i < 200; i++) console.log(''); 0",
        "the logs are over 100 bytes: print less",
    ),
}


def limited(changes: dict[str, int]) -> Limits:
    return replace(LIMITS, **changes)


@pytest.mark.parametrize(("changes", "at", "beyond", "message"), CASES.values(), ids=CASES)
def test_a_program_at_the_limit_is_fine(
    changes: dict[str, int], at: str, beyond: str, message: str
) -> None:
    assert isinstance(drive(at, limits=limited(changes)).outcome, Completed)


@pytest.mark.parametrize(("changes", "at", "beyond", "message"), CASES.values(), ids=CASES)
def test_a_program_beyond_the_limit_fails_and_the_failure_names_it(
    changes: dict[str, int], at: str, beyond: str, message: str
) -> None:
    error = drive(beyond, limits=limited(changes)).error
    (limit,) = changes
    assert (error.kind, error.name, error.limit) == ("limit", "LimitError", limit)
    assert message in error.message


@pytest.mark.parametrize(("changes", "at", "beyond", "message"), CASES.values(), ids=CASES)
def test_a_limit_is_met_at_the_same_unit_of_fuel_again(
    changes: dict[str, int], at: str, beyond: str, message: str
) -> None:
    ran = drive(beyond, limits=limited(changes))
    assert replay(beyond, ran.journal, limits=limited(changes)) == ran.outcome


@pytest.mark.parametrize(("changes", "at", "beyond", "message"), CASES.values(), ids=CASES)
def test_the_next_program_runs(changes: dict[str, int], at: str, beyond: str, message: str) -> None:
    drive(beyond, limits=limited(changes))
    assert drive("await get(1)").value == 1


@pytest.mark.parametrize(("size", "fine"), [(98, True), (99, False)])
def test_a_result_may_be_as_long_as_its_limit(size: int, fine: bool) -> None:
    ran = drive(
        "await get(1)", lambda call: Returned("x" * size), limits=replace(LIMITS, result=100)
    )
    assert isinstance(ran.outcome, Completed) is fine
    if not fine:
        assert (ran.error.kind, ran.error.limit) == ("limit", "result")
        assert "the result of get is over 100 bytes" in ran.error.message


def test_a_result_that_the_guest_has_no_room_for_is_a_limit_of_memory() -> None:
    limits = replace(LIMITS, memory=8 * MB)
    error = drive("await get(1)", lambda call: Returned("x" * 7_000_000), limits=limits).error
    assert (error.kind, error.limit) == ("limit", "memory")


def test_a_source_that_the_stripper_cannot_read_is_a_limit_of_the_source() -> None:
    error = drive("(" * 20_000 + ")" * 20_000).error
    assert (error.kind, error.limit) == ("limit", "source")


def test_deep_recursion_is_an_exception_that_can_be_caught() -> None:
    source = "function f(): number { return f() + 1 }\ntry { f() } catch (e) { e.name }"
    assert drive(source).value == "RangeError"


def test_logs_are_kept_when_fuel_stops_a_program() -> None:
    ran = drive("console.log('before'); for (;;);", limits=replace(LIMITS, fuel=20_000_000))
    assert ran.error.limit == "fuel"
    assert ran.logs == [("log", "before")]


def test_logs_are_kept_when_memory_stops_a_program() -> None:
    source = "console.log('before'); const a = []; for (;;) a.push(new Uint8Array(1e6))"
    ran = drive(source, limits=replace(LIMITS, memory=16 * MB))
    assert (ran.error.limit, ran.logs) == ("memory", [("log", "before")])


def test_fuel_is_counted_from_the_programs_start_over_all_its_batches() -> None:
    source = "for (;;) { await get(1); for (let i = 0; i < 1e5; i++); }"
    ran = drive(source, limits=replace(LIMITS, fuel=100_000_000))
    assert ran.error.limit == "fuel"
    assert len(ran.batches) > 1
    assert ran.outcome.fuel == 100_000_000


def test_a_limit_ends_a_program_at_once_and_forgets_the_calls_it_was_making() -> None:
    ran = drive("get(1); get(2); console.log('x'.repeat(200))", limits=replace(LIMITS, logs=100))
    assert (ran.error.limit, ran.batches) == ("logs", ())


def test_a_limit_cannot_be_caught() -> None:
    source = "for (;;) { try { await get('x'.repeat(200)) } catch { console.log('caught') } }"
    ran = drive(source, limits=replace(LIMITS, arguments=100))
    assert (ran.error.limit, ran.logs) == ("arguments", [])


def test_a_limit_outweighs_a_value() -> None:
    ran = drive("get(1).then(() => { for (;;); }); 5", limits=replace(LIMITS, fuel=20_000_000))
    assert ran.error.limit == "fuel"


class TestTheWallClock:
    LIMITS = replace(LIMITS, fuel=10**15, step_fuel=10**15, seconds=0.1)

    @pytest.mark.parametrize(
        "source",
        [
            "for (;;);",
            "await get(1); for (;;);",
            "setInterval(() => {}, 1); await new Promise(() => {})",
        ],
    )
    def test_what_it_stops_has_no_outcome_and_may_be_tried_again(self, source: str) -> None:
        with pytest.raises(TimedOut, match="try again") as caught:
            drive(source, limits=self.LIMITS)
        assert caught.value.retryable
        assert drive("await get(1)").value == 1

    def test_the_wall_clock_starts_again_with_each_batch(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        given: list[float] = []
        watch = Backstop.watch

        def counted(self: Backstop, store: wasmtime.Store, seconds: float) -> Watch:
            given.append(seconds)
            return watch(self, store, seconds)

        monkeypatch.setattr(Backstop, "watch", counted)
        source = "for (let i = 0; i < 3; i++) await get(i);\n1"
        assert drive(source, limits=replace(LIMITS, seconds=555)).value == 1
        assert given.count(555) == 4

    def test_a_run_that_it_stopped_is_over(self) -> None:
        run = start("for (;;);", limits=self.LIMITS)
        with pytest.raises(TimedOut):
            run.proceed([])
        run.close()
        run.close()


HOST_WORK = [
    "for (;;) console.log('')",
    "for (;;) text()",
    "for (;;) Date.now()",
    "for (;;) performance.now()",
    "for (;;) Promise.reject(1)",
    "for (;;) Promise.reject(1).catch(() => 0)",
    "setInterval(() => {}, 0); await new Promise(() => {})",
    "for (let i = 0; ; i++) console.count(i)",
    "for (;;) { await null; new Date() }",
]


@pytest.mark.parametrize("source", HOST_WORK)
def test_what_the_host_does_for_a_program_costs_fuel(source: str) -> None:
    ran = drive(source, limits=replace(LIMITS, fuel=200_000_000))
    assert ran.error.limit in ("fuel", "logs")
    assert len(ran.logs) <= 1_000


def test_a_suspended_execution_can_be_closed_and_is_then_over() -> None:
    run = start("await get(1)")
    assert isinstance(run.proceed([]), Suspended)
    run.close()
    run.close()


def test_limits_do_not_reach_the_next_program() -> None:
    tight = replace(LIMITS, fuel=1_000_000, logs=10, value=10)
    assert isinstance(drive("for (;;);", limits=tight).outcome, Failed)
    assert drive("console.log('x'.repeat(100)); 'y'.repeat(100)").value == "y" * 100
