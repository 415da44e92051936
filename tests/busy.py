"""Runs all tests while every core is kept busy by a process that does nothing else.

A test that waits for a time instead of a fact fails here sooner than elsewhere.

    python -m tests.busy 10    ten runs, one after the other; the exit code is 1 if any failed
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

SPIN = """
import os, sys, threading

def leave():
    sys.stdin.read()  # ends when the parent does, however that happens
    os._exit(0)

threading.Thread(target=leave, daemon=True).start()
while True:
    pass
"""


@contextmanager
def every_core_busy() -> Iterator[None]:
    """Keep each core busy with one process, and end all of them afterwards."""
    with ExitStack() as stack:
        for _ in range(os.cpu_count() or 1):
            spinning = subprocess.Popen([sys.executable, "-c", SPIN], stdin=subprocess.PIPE)
            stack.enter_context(spinning)  # waits for its end, so `kill` has to come first
            stack.callback(spinning.kill)
        yield


def run_once() -> bool:
    """Run all tests as CI does, with the same examples each time, in two processes for each core.
    A run that passes is shown by its last line, another in full."""
    workers = str(2 * (os.cpu_count() or 1))
    command = [sys.executable, "-m", "pytest", "-n", workers, "--dist", "worksteal"]
    environment = {**os.environ, "CI": "1"}
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    )
    passed = done.returncode == 0
    print(done.stdout.splitlines()[-1] if passed and done.stdout else done.stdout, flush=True)
    return passed


def main(runs: int) -> int:
    """Run all tests so many times; how many runs failed."""
    failed = 0
    with every_core_busy():
        for number in range(1, runs + 1):
            print(f"run {number} of {runs}, {time.strftime('%H:%M:%S')}: ", end="", flush=True)
            failed += not run_once()
    print(f"{runs - failed} of {runs} runs passed, with {os.cpu_count()} cores kept busy")
    return failed


if __name__ == "__main__":
    sys.exit(1 if main(int(sys.argv[1]) if len(sys.argv) > 1 else 1) else 0)
