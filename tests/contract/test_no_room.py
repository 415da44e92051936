"""If the system has no memory for a guest, the engine raises an error with advice."""

import subprocess
import sys

import pytest

SCRIPT = """
import resource
from coderelay import EngineError, Program, evaluate

resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
try:
    evaluate(Program({language!r}, "1"), [], [])
except EngineError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space")
@pytest.mark.parametrize("language", ["typescript", "python"])
def test_too_little_address_space_is_an_engine_error(language: str) -> None:
    command = [sys.executable, "-c", SCRIPT.format(language=language)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "reserves 4 GB of address space" in done.stdout
