"""The rules of a turn can be tested on a machine without a sandbox or a network."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
WITHOUT_IO = """
import os, socket, sys, threading
import pytest

def refuse(*args, **kwargs):
    raise AssertionError("the rules of a turn use no WebAssembly, socket or thread")

sys.modules["wasmtime"] = None  # importing it fails
socket.socket.__init__ = refuse
threading.Thread.start = refuse
# Without the project's settings, whose timeout for a test starts a thread.
sys.exit(pytest.main(["-q", "-c", os.devnull, "--rootdir", ".", "-p", "no:cacheprovider",
                      "-p", "no:xdist", "--noconftest", "tests/gateway/turn_rules"]))
"""


def test_the_rules_of_a_turn_need_no_webassembly_socket_or_thread() -> None:
    command = [sys.executable, "-c", WITHOUT_IO]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
