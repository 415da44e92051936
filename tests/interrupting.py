"""Runs programs while signals come, and says what became of them. A process of its own: it may die.

    python -m tests.interrupting evaluate typescript every 3

runs a program again and again. The first time it is interrupted before the main thread's first
step, then before its fourth, its seventh, and so on, until a run is over before its interruption
comes. `storm 500` in place of `every 3` lets another thread send 500 real signals at any moment.
"""

import gc
import itertools
import json
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import wasmtime

from coderelay import Completed, Entry, Program, Returned, Suspended, Tool, ToolIsCode, start
from coderelay import evaluate as evaluated

TOOL = Tool("get", parameters={"type": "object", "properties": {"key": {"type": "string"}}})
FUNCTION = {"type": "function", "name": "get", "parameters": TOOL.parameters}
SOURCES = {
    "typescript": """
        for (let i = 0; i < 3; i++) console.log(Date.now());
        const got = await get({ key: "a" });
        console.log(got);
        return got;
    """,
    "python": """
import time
for _ in range(3):
    print(time.time())
got = await get(key="a")
print(got)
got
""",
}
CELL = "import time\nfor _ in range(3): print(time.time())\nimport sdk\nprint(sdk.get(key='a'))"
ANSWERED = [Entry("get", {"key": "a"}, Returned("A"))]

HELPER = "coderelay guests"
"""The threads that work for the main thread. All but one end when they have nothing to do."""

Run = Callable[[], None]


def evaluate(language: str) -> Run:
    """A whole run through its journal."""
    program = Program(language, SOURCES[language])

    def run() -> None:
        outcome = evaluated(program, [TOOL], ANSWERED)
        assert isinstance(outcome, Completed) and outcome.value == "A", outcome

    return run


def live(language: str) -> Run:
    """A run that is kept between its two steps, and that goes no further once it is interrupted."""
    program = Program(language, SOURCES[language])

    def run() -> None:
        kept = start(program, [TOOL])
        try:
            assert isinstance(kept.proceed([]), Suspended)
            outcome = kept.proceed(ANSWERED)
            assert isinstance(outcome, Completed) and outcome.value == "A", outcome
        finally:
            kept.close()

    return run


def session(language: str) -> Run:
    """A session with one cell."""
    item = {
        "type": "function_call",
        "call_id": "c",
        "name": language,
        "arguments": json.dumps({"code": CELL}),
    }

    def run() -> None:
        with ToolIsCode([FUNCTION], lambda req_id, name, arguments: "A") as tool:
            answer = tool.tool_call(item)
            assert answer is not None and answer["output"].endswith("\nA"), answer

    return run


KINDS: dict[str, Callable[[str], Run]] = {"evaluate": evaluate, "live": live, "session": session}


class Steps:
    """Interrupts the main thread before its n-th step: an instruction of Python's own."""

    def __init__(self, step: int) -> None:
        self.left = step

    def trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code is every.__code__:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            self.left -= 1
            if self.left == 0:
                sys.settrace(None)
                signal.raise_signal(signal.SIGINT)
        return self.trace


def every(run: Run, stride: int) -> Iterator[bool]:
    """Whether each run came to its end. The last one was not interrupted.

    Garbage is collected between runs only: when that happens depends on what else the process does,
    and Python swallows an exception that a finaliser raises.
    """
    gc.disable()
    for number, step in enumerate(itertools.count(1, stride)):
        if number % 20 == 0:
            gc.collect()
        steps = Steps(step)
        sys.settrace(steps.trace)
        try:
            run()
            yield True
        except KeyboardInterrupt:
            yield False
        finally:
            sys.settrace(None)
        if steps.left > 0:
            return


def storm(run: Run, count: int) -> Iterator[bool]:
    """Whether each run came to its end, while another thread sends signals at any moment."""
    chance, main, over = random.Random(0), threading.main_thread().ident, threading.Event()
    assert main is not None

    def interrupt(number: int, frame: FrameType | None) -> None:
        while frame is not None and frame.f_code is not run.__code__:
            frame = frame.f_back
        if frame is not None:  # not between two runs
            raise KeyboardInterrupt

    def send() -> None:
        for _ in range(count):
            time.sleep(chance.random() * 0.004)
            signal.pthread_kill(main, signal.SIGINT)
        over.set()

    signal.signal(signal.SIGINT, interrupt)
    threading.Thread(target=send).start()
    while not over.is_set():
        try:
            run()
            yield True
        except KeyboardInterrupt:
            yield False
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def main() -> None:
    kind, language, way, number = sys.argv[1:]
    run = KINDS[kind](language)
    run()  # the engine is ready
    before = left_behind()
    runs = list({"every": every, "storm": storm}[way](run, int(number)))
    run()
    told = {"ended": runs.count(True), "interrupted": runs.count(False)}
    print(json.dumps({**told, "before": before, "after": left_behind()}))


def left_behind() -> dict[str, int]:
    """What there is of each kind that could leak. The memories of guests are address space, whether
    their stores are known or not. Sessions that were closed may still be ending: their threads are
    waited for, and one that never ended would be waited for in vain."""
    gc.collect()
    for thread in threading.enumerate():
        if thread.name in ("coderelay session", "coderelay callbacks"):
            thread.join()
    return {
        "folders": len(os.listdir(os.environ["TMPDIR"])),
        "stores": sum(isinstance(each, wasmtime.Store) for each in gc.get_objects()),
        "threads": sum(each.name != HELPER for each in threading.enumerate()),
        "gigabytes": address_space() >> 30,
    }


def address_space() -> int:
    """Bytes of this process's address space; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGESIZE")
    except OSError:
        return 0


if __name__ == "__main__":
    main()
