"""A used instance is restored to its initial state, to the byte, or closed."""

import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest

from coderelay.engines.python import PythonEngine, instance_restorer
from coderelay.engines.python.instance import PythonInstance
from coderelay.engines.python.instance_restorer import InstanceRestorer
from coderelay.engines.python.world import World
from tests.python.driving import LIMITS, run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="nothing is restored here")
WASTEFUL = """
import sys, json, builtins
kept = [bytearray(4096) for _ in range(500)]
sys.left = json.left = builtins.left = kept
found = await get(key=1)
len(kept)
"""
GROWING = "waste = bytearray(60_000_000)\nlen(waste)"
FOREVER = "while True:\n    pass"


class OneInstance:
    """A pool of one, which keeps what it is given back."""

    size = waiting = 1

    def __init__(self, restorer: InstanceRestorer) -> None:
        self.restorer = restorer
        self.instance = restorer.make()
        self.content = content(self.instance)
        self.back: PythonInstance | None = None

    def take(self) -> PythonInstance:
        return self.instance

    def give_back(self, instance: PythonInstance) -> None:
        self.back = instance


@pytest.fixture(scope="module")
def alone() -> Iterator[PythonEngine]:
    made = PythonEngine(pool=1)
    yield made
    made.pool.close()


@pytest.fixture
def one(alone: PythonEngine, monkeypatch: pytest.MonkeyPatch) -> OneInstance:
    pool = OneInstance(alone.pool._restorer)
    monkeypatch.setattr(alone, "pool", pool)
    return pool


def content(instance: PythonInstance) -> bytes:
    return instance.core.read(0, instance.core.memory_size)


@pytest.mark.parametrize("source", [WASTEFUL, "1", "import decimal\nstr(decimal.Decimal(1) / 3)"])
def test_a_restored_instance_has_the_memory_of_a_new_one(
    alone: PythonEngine, one: OneInstance, source: str
) -> None:
    first = run(source, on=alone).outcome
    assert one.back is one.instance
    assert content(one.instance) != one.content
    assert one.restorer.restore(one.instance)
    assert content(one.instance) == one.content
    assert run(source, on=alone).outcome == first


def test_a_compiler_is_restored_to_the_byte_too(alone: PythonEngine) -> None:
    compilers = alone.compiler._pool._restorer
    instance = compilers.make()
    before = content(instance)
    source = "class A:\n    x: int = 1\n\n[a for a in range(3)]"
    code = instance.enter(World(), "compile", source)
    assert compilers.restore(instance)
    assert content(instance) == before
    assert instance.enter(World(), "compile", source) == code


def test_a_memory_that_grew_is_not_restored(alone: PythonEngine, one: OneInstance) -> None:
    assert run(GROWING, on=alone).value == 60_000_000
    assert not one.restorer.restore(one.instance)


@pytest.mark.parametrize("source", [FOREVER, "import os\nos.abort()", "import os\nos._exit(1)"])
def test_an_instance_that_trapped_does_not_return_to_the_pool(
    alone: PythonEngine, one: OneInstance, source: str
) -> None:
    assert run(source, on=alone, limits=replace(LIMITS, fuel=100_000_000)).error
    assert one.back is None


def test_an_instance_is_restored_after_a_program_with_another_memory_limit(
    alone: PythonEngine, one: OneInstance
) -> None:
    limits = replace(LIMITS, memory=40_000_000)
    assert run("1", on=alone, limits=limits).value == 1
    assert one.restorer.restore(one.instance)
    assert run(GROWING, on=alone).value == 60_000_000


def test_nothing_is_restored_where_the_system_does_not_tell_which_pages_were_touched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usual = run(WASTEFUL).outcome
    monkeypatch.setattr(instance_restorer, "_MAP", "/proc/self/nothing")
    alone = PythonEngine(pool=1)
    for _ in range(2):
        alone.fill()
        [instance] = alone.pool._ready
        assert run(WASTEFUL, on=alone).outcome == usual
        assert not alone.pool._restorer.restore(instance)
    alone.pool.close()


def test_an_import_may_run_a_guest_of_its_own(alone: PythonEngine, one: OneInstance) -> None:
    class Nesting(World):
        def call(self, name: str, arguments: str) -> int:
            assert run("1 + 1").value == 2
            return super().call(name, arguments)

        def log(self, level: int, text: str) -> None:
            said.append(text)

    said: list[str] = []
    source = "import asyncio as a\ntask = a.create_task(get(key=1))\nawait a.sleep(0)\nprint('on')"
    setup = '[[["get",["get"],["key"]]],null,1000,1000,1000]'
    one.instance.enter(Nesting(), "start", alone.compiler.code(source, 30), source, setup)
    assert "".join(said) == "on\n"
