"""`print` and its neighbours behave as in CPython; output that is cut is never cut in silence."""

from dataclasses import replace

import pytest

from tests.python.driving import LIMITS, run
from tests.python.living import Session


@pytest.mark.parametrize(
    ("source", "name", "message"),
    [
        ("print('a', sep=8)", "TypeError", "sep must be None or a string, not int"),
        ("print(sep=8)", "TypeError", "sep must be None or a string, not int"),
        ("print('a', sep=b'')", "TypeError", "sep must be None or a string, not bytes"),
        ("print('a', end=8)", "TypeError", "end must be None or a string, not int"),
        ("print('a', end=b'')", "TypeError", "end must be None or a string, not bytes"),
        ("print('a', file=8)", "AttributeError", "'int' object has no attribute 'write'"),
        ("print('a', to=8)", "TypeError", "print() got an unexpected keyword argument 'to'"),
        ("import sys; del sys.stdout; print()", "RuntimeError", "lost sys.stdout"),
        ("import sys; sys.stdout.close(); print()", "ValueError", "I/O operation on closed file."),
        ("import sys; sys.stdout.write(8)", "TypeError", "write() argument must be str, not int"),
        ("input('name? ')", "EOFError", "EOF when reading a line"),
        ("input(1, 2)", "TypeError", "input expected at most 1 argument, got 2"),
        ("open('a', 'q')", "ValueError", "invalid mode: 'q'"),
        ("exit(code=3)", "SystemExit", "3"),
        ("quit('why')", "SystemExit", "why"),
    ],
)
def test_invalid_arguments_are_refused_with_cpythons_messages(
    source: str, name: str, message: str
) -> None:
    error = run(source).error
    assert (error.name, error.message) == (name, message)


@pytest.mark.parametrize(
    ("source", "printed"),
    [
        ("print('a', 1, sep=None, end=None)", ["a 1"]),
        ("print('a', 'b', sep='-', end='!\\n', flush=True)", ["a-b!"]),
        ("class S(str):\n    def join(self, other): return 'x'\nprint(1, 2, sep=S('+'))", ["1+2"]),
        ("import sys\nsys.stdout = None\nprint('a')", []),
        ("import io, sys\nprint('a', file=io.StringIO())\nprint('b', file=sys.stdout)", ["b"]),
    ],
)
def test_print_takes_what_cpython_takes(source: str, printed: list[str]) -> None:
    ran = run(source)
    assert ran.value is None
    assert ran.printed == printed


ARGPARSE = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--count", type=int, default=3)
count = parser.parse_args().count
"""


def test_a_program_has_a_name_for_those_who_read_the_command_line() -> None:
    assert run("import sys\nsys.argv").value == ["program.py"]
    assert run(ARGPARSE + "count").value == 3
    usage = run("import argparse\nargparse.ArgumentParser().parse_args(['--x'])")
    assert usage.error.name == "SystemExit"
    assert usage.outcome.logs[0].text == "usage: program.py [-h]"


def test_a_session_has_the_same_name(live: Session) -> None:
    assert live.value("import sys\nsys.argv") == "['program.py']"
    assert live.value(ARGPARSE + "count") == "3"


@pytest.mark.parametrize(
    "source",
    [
        r"print('\n' * 40_000_000)",
        r"import sys; sys.stdout.write('\n' * 40_000_000)",
        r"import sys; sys.stderr.write('\n' * 40_000_000)",
        r"import sys; sys.stdout.buffer.write(b'\n' * 40_000_000)",
    ],
)
def test_forty_million_empty_lines_at_once_fail_with_the_limit(source: str) -> None:
    error = run(source, limits=replace(LIMITS, logs=10_000)).error
    assert (error.kind, error.limit) == ("limit", "logs")
    assert "print less" in error.message


@pytest.mark.parametrize("letter", ["x", "é", "€", "😀"])
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_output_is_taken_to_the_last_byte_and_not_beyond(letter: str, stream: str) -> None:
    limits = replace(LIMITS, logs=1_200)
    fits, size = 1_200 // len(letter.encode()), len(letter.encode())
    source = f"import sys\nsys.{stream}.write({letter!r} * {{}})\n1"
    assert run(source.format(fits), limits=limits).value == 1
    assert run(source.format(fits + 1), limits=limits).error.limit == "logs"
    assert fits * size == 1_200


def test_too_much_output_ends_a_program_before_its_next_call() -> None:
    source = "print('x' * 150, end='')\nawait get(key='a')"
    ran = run(source, limits=replace(LIMITS, logs=100))
    assert (ran.error.limit, ran.batches) == ("logs", ())
    mixed = "import sys\nprint('x' * 60, end='')\nsys.stderr.write('y' * 60)\nawait get(key='a')"
    assert run(mixed, limits=replace(LIMITS, logs=100)).batches == ()


def test_lines_cost_fuel_even_when_they_come_in_one_message() -> None:
    one = run("print('\\n' * 10, end='')").outcome.fuel
    many = run("print('\\n' * 10_010, end='')").outcome.fuel
    assert many - one > 10_000 * 5_000


def test_too_much_output_ends_a_cell_there_whatever_its_letters_are(live: Session) -> None:
    live.run("x = 1")
    cell = live.run("print('é' * 600_000)\nx = 2")
    assert cell.failure is not None and cell.failure.limit == "output"
    assert live.value("x") == "1"


@pytest.mark.parametrize(
    "source", ["raise ValueError('x' * 100_000)", "raise SyntaxError('x' * 100_000)"]
)
def test_a_long_message_says_that_it_was_cut(source: str) -> None:
    message = run(source).error.message
    assert message.endswith("x… (the first 4,000 of 100,000 characters)")
