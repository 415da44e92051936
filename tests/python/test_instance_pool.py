"""Instances are prepared before programs need them; no outcome depends on that."""

import os

import pytest
import wasmtime

from coderelay.core import EngineError, Program, Suspended
from coderelay.engines.python import PythonEngine
from coderelay.engines.python.instance_pool import PythonPool
from coderelay.languages.language_registry import engine
from tests.python.driving import LIMITS, NAMES, run


@pytest.fixture
def pool() -> PythonPool:
    found = engine("python")
    assert isinstance(found, PythonEngine)
    return found.pool


def test_instances_wait_after_the_pool_was_filled(pool: PythonPool) -> None:
    pool.fill()
    assert pool.ready == pool.size > 0


def test_a_filled_engine_has_every_instance_ready_also_after_a_new_program() -> None:
    alone = PythonEngine(pool=1)
    alone.fill()
    assert run("2 + 2", on=alone).value == 4
    alone.fill()
    assert alone.pool.ready == alone.compiler.ready == 1


def test_the_pool_is_filled_again_after_a_program_took_an_instance(pool: PythonPool) -> None:
    pool.fill()
    assert run("1").value == 1
    pool.fill()
    assert pool.ready == pool.size


def test_more_programs_than_instances_can_be_under_way(pool: PythonPool) -> None:
    program = Program("python", "await get(key='a')")
    executions = [engine("python").start(program, NAMES, LIMITS) for _ in range(pool.size * 3)]
    outcomes = [execution.advance([]) for execution in executions]
    assert all(isinstance(outcome, Suspended) for outcome in outcomes)
    assert len({outcome.fuel for outcome in outcomes}) == 1
    for execution in executions:
        execution.close()


def test_a_program_leaves_nothing_behind_for_the_next() -> None:
    run("import builtins, sys, json\nbuiltins.left = sys.left = json.left = 1")
    source = "import builtins, sys, json\n[hasattr(m, 'left') for m in (builtins, sys, json)]"
    assert run(source).value == [False] * 3


def test_a_closed_pool_still_gives_instances() -> None:
    alone = PythonEngine(pool=1)
    alone.pool.fill()
    alone.pool.close()
    assert run("1", on=alone).value == 1
    assert run("2", on=alone).value == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_runs_programs(pool: PythonPool) -> None:
    pool.fill()
    child = os.fork()
    if child == 0:
        value = 0
        try:
            value = run("await get(key=7)").value
        finally:
            os._exit(value)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 7


def test_a_guest_that_does_not_start_is_our_error(monkeypatch: pytest.MonkeyPatch) -> None:
    unpooled = PythonEngine(pool=0)

    def trap(*arguments: object) -> int:
        raise wasmtime.Trap("unreachable")

    monkeypatch.setattr("coderelay.engines.wasm.native.CoreInstance.call", trap)
    execution = unpooled.start(Program("python", "1"), NAMES, LIMITS)
    with pytest.raises(EngineError, match="does not start"):
        execution.advance([])
