"""What a script prints, in one process after another."""

import os
import subprocess
import sys
from pathlib import Path


def printed(script: str) -> set[bytes]:
    """All that it printed in processes that hash differently."""
    return {
        subprocess.run(
            [sys.executable, "-c", script],
            cwd=Path(__file__).parents[2],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
