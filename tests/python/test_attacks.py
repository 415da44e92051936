"""Hostile programs end as they should; the host survives, and the next program runs."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from coderelay.core import Completed, Failed
from tests.python.driving import LIMITS, run

PROGRAMS = [
    json.loads(line)
    for line in (Path(__file__).parent.parent / "attacks" / "python.jsonl").read_text().splitlines()
]
ENOUGH = replace(LIMITS, fuel=3_000_000_000)


@pytest.mark.parametrize("attack", PROGRAMS, ids=lambda attack: f"{attack['class']} {attack['id']}")
def test_a_hostile_program_ends_as_expected_and_the_next_one_runs(
    attack: dict[str, str],
) -> None:
    outcome = run(attack["source"], limits=ENOUGH).outcome
    if isinstance(outcome, Failed):
        end = outcome.error.limit or outcome.error.name
    else:
        assert isinstance(outcome, Completed)
        end = "value"
    assert end in attack["ends"], outcome
    assert run(attack["source"], limits=ENOUGH).outcome == outcome
    assert run("await get(key='next')").value == "next!"


ESCAPES = [
    "open('/etc/passwd').read()",
    "import os\nos.listdir('/')",
    "import os\nos.mkdir('/tmp')",
    "import pathlib\npathlib.Path('/etc').iterdir().__next__()",
    "import tempfile\ntempfile.mkstemp()",
    "import socket\nsocket.create_connection(('127.0.0.1', 80))",
    "import socket\nsocket.getaddrinfo('localhost', 80)",
    "import urllib.request\nurllib.request.urlopen('http://127.0.0.1')",
    "import asyncio\nawait asyncio.open_connection('127.0.0.1', 80)",
    "import asyncio\nawait asyncio.create_subprocess_exec('id')",
    "import threading\nthreading.Thread(target=print).start()",
    "import multiprocessing\nmultiprocessing.Process(target=print).start()",
    "import ctypes",
    "import os\nos.execv('/bin/sh', [])",
    "import os\nos.kill(1, 9)",
    "import webbrowser\nassert webbrowser.open('http://127.0.0.1')",
    "import _socket\n_socket.socket().connect(('127.0.0.1', 1))",
    "import os\nos.write(1, b'straight to the host')",
    "import pip",
]


@pytest.mark.parametrize("source", ESCAPES)
def test_nothing_of_the_host_can_be_reached(source: str, capfd: pytest.CaptureFixture[str]) -> None:
    ran = run(source)
    assert ran.error.kind == "exception"
    assert capfd.readouterr() == ("", "")


def test_a_program_sees_no_environment_and_no_arguments() -> None:
    source = "import os, sys\n[dict(os.environ), sys.argv, os.getcwd(), sys.path]"
    assert run(source).value == [{}, ["program.py"], "/", []]
