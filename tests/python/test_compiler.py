"""Programs are compiled without fuel first, and with fuel if that takes long or traps."""

import pytest

from coderelay.engines.python import PythonEngine, compiler
from coderelay.engines.python.compiler import ProgramCompiler
from coderelay.engines.wasm.trapped import Trapped
from tests.python.driving import run

SOURCES = {
    "a program": "import asyncio\nasync def main():\n    return [x for x in 'ab']\nawait main()",
    "an error": "def f(:\n    pass",
    "too deep for the parser": "(" * 190 + "1" + ")" * 190,
    "too deep for the sandbox": "a" + ".b" * 15_000,
}


@pytest.fixture(scope="module")
def made() -> ProgramCompiler:
    return PythonEngine(pool=0).compiler


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_compiling_with_fuel_gives_the_same_code(made: ProgramCompiler, source: str) -> None:
    assert made.code(source, 30) == made._compile_with_fuel(source, 30)


def test_what_the_sandbox_cannot_compile_is_a_failure_that_says_what_to_do() -> None:
    error = run(SOURCES["too deep for the sandbox"]).error
    assert (error.kind, error.name) == ("syntax", "SyntaxError")
    assert "nest less" in error.message


def test_what_takes_long_is_decided_by_fuel(
    made: ProgramCompiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "\n".join(
        f"def f{n}(a, b={n}): return [a * b for a in range(b) if a]" for n in range(99)
    )
    usual = made._compile(source, 30)
    monkeypatch.setattr(compiler, "_QUICK", -0.2)  # the deadline is now
    assert made._compile(source, 30) == usual
    monkeypatch.setattr(compiler, "_FUEL", 1_000_000)
    assert made._compile(source, 30) == compiler._TOO_MUCH


def test_the_wall_clock_never_decides(made: ProgramCompiler) -> None:
    with pytest.raises(Trapped, match="INTERRUPT"):
        made._compile_with_fuel("x = 1\n" * 20_000, -0.2)
