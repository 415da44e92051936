"""No test waits for a time: on a busy machine it would fail, and on a quiet one it wastes time.

CONTRIBUTING.md says what to do instead.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

EXCEPTIONS = {
    "tests/python/test_live.py": {"time.time_ns"},  # that a session's clock is the real one
    "tests/interrupting.py": {"time.sleep"},  # signals at random moments; nothing waits for them
}
"""What a file may use all the same, and why."""

CLOCKS = {
    f"time.{name}{unit}" for name in ("time", "monotonic", "perf_counter") for unit in ("", "_ns")
}
SLEEPS = {"time.sleep", "asyncio.sleep"}
DEADLINES = {"asyncio.timeout", "asyncio.timeout_at", "asyncio.wait_for", "threading.Timer"}
WAITS = {
    *("acquire", "communicate", "get", "join", "put", "result", "wait"),
    *("run", "call", "check_call", "check_output"),  # of subprocess
    *("AsyncClient", "Client", "OpenAI", "Anthropic", "create_connection", "post", "request"),
    "Barrier",
}
"""What takes a timeout, after which a test on a busy machine would go on, or fail."""


def waits(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The lines at which a file waits for a time or reads the clock, and what does so there."""
    imported = _imported(tree)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call | ast.Name | ast.Attribute):
            continue
        name = _name(node.func if isinstance(node, ast.Call) else node, imported)
        if not isinstance(node, ast.Call):
            if name in CLOCKS | DEADLINES:
                yield node.lineno, name
        elif name in SLEEPS and not (node.args and _number(node.args[0]) == 0):
            yield node.lineno, name
        elif name.rpartition(".")[2] in WAITS and _has_timeout(node):
            yield node.lineno, f"{name} with a timeout"


def _imported(tree: ast.AST) -> dict[str, str]:
    """Names in a file that stand for a module's: `sleep` after `from time import sleep`."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            found |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
        elif isinstance(node, ast.Import):
            found |= {each.asname: each.name for each in node.names if each.asname}
    return found


def _name(node: ast.AST, imported: dict[str, str]) -> str:
    """The full name of what is called or read; its last part where the rest is no name."""
    if isinstance(node, ast.Name):
        return imported.get(node.id, node.id)
    if isinstance(node, ast.Attribute):
        return f"{_name(node.value, imported)}.{node.attr}"
    return ""


def _has_timeout(call: ast.Call) -> bool:
    given = [each.value for each in call.keywords if each.arg == "timeout"]
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    first = call.args[:1] if name in ("join", "result", "wait") else []
    return any(_number(each) is not None for each in [*given, *first])


def _number(node: ast.AST) -> float | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    return None


def test_no_test_waits_for_a_time() -> None:
    found = []
    for path in (ROOT / "tests").rglob("*.py"):
        place = path.relative_to(ROOT).as_posix()
        for line, what in waits(ast.parse(path.read_text("utf-8"))):
            if what not in EXCEPTIONS.get(place, ()):
                found.append(f"{place}:{line}: {what}")
    assert not found, "wait for a fact instead, see CONTRIBUTING.md:\n" + "\n".join(found)


@pytest.mark.parametrize(
    "code",
    [
        "import time\ntime.sleep(0.1)",
        "from time import sleep\nsleep(1)",
        "import time as t\nt.sleep(x)",
        "import asyncio\nasync def f(): await asyncio.sleep(0.001)",
        "import time\nassert time.monotonic() - began < 3",
        "from time import perf_counter\nbegan = perf_counter()",
        "import time\nnow = time.time",
        "import asyncio\nasync def f():\n    async with asyncio.timeout(5): pass",
        "import threading\nthreading.Timer(0.3, gone.set).start()",
        "import threading\nthreading.Barrier(2, timeout=10)",
        "assert event.wait(20)",
        "process.wait(timeout=20)",
        "thread.join(5)",
        "subprocess.run(command, timeout=60)",
        "with httpx.Client(timeout=30) as http: pass",
    ],
)
def test_what_waits_for_a_time_is_found(code: str) -> None:
    assert list(waits(ast.parse(code)))


@pytest.mark.parametrize(
    "code",
    [
        "import asyncio\nasync def f(): await asyncio.sleep(0)",
        "import time\ntime.thread_time()",
        "event.wait()",
        "', '.join(words)",
        "http.get(url, timeout=None)",
        "clock.sleep(60)",
    ],
)
def test_what_waits_for_a_fact_is_fine(code: str) -> None:
    assert not list(waits(ast.parse(code)))
