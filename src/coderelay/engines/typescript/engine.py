"""Runs TypeScript and JavaScript programs, on QuickJS compiled to WebAssembly."""

import json
from collections.abc import Sequence
from pathlib import Path

import wasmtime

from coderelay.core import Execution, Limits, Program, ToolName
from coderelay.engines.interface import Progress
from coderelay.engines.typescript.checkpoints import Checkpoints
from coderelay.engines.typescript.execution import TypeScriptExecution
from coderelay.engines.typescript.imports import link
from coderelay.engines.typescript.instance_pool import TypeScriptPool
from coderelay.engines.typescript.prepare import Preparer
from coderelay.engines.typescript.swc import Swc
from coderelay.engines.wasm.backstop import Backstop
from coderelay.engines.wasm.compiled import fingerprint, load, read_guest
from coderelay.engines.wasm.config import STACK, metered

GUEST = Path(__file__).parent / "guest"
SEMANTICS = 3
"""The semantics number, part of the fingerprint. Raise it when programs see something different and
the bytes of the guest do not show it, because only the host's code changed."""


class TypeScriptEngine:
    """The engine of `typescript`. Every program gets an instance of its own."""

    language = "typescript"

    def __init__(self, progress: Progress = lambda message: None, guest: Path = GUEST) -> None:
        wasm = read_guest(guest / "quickjs.wasm")
        handles: dict[str, int] = json.loads(read_guest(guest / "handles.json"))
        engine = wasmtime.Engine(metered(STACK))
        self._module = load(
            wasm,
            configuration=f"quickjs {STACK}",
            compile=lambda data: wasmtime.Module(engine, data),
            serialize=lambda module: bytes(module.serialize()),
            deserialize=lambda name: wasmtime.Module.deserialize_file(engine, name),
            progress=progress,
        )
        linker, self._imports = link(engine, self._module)
        self._pool = TypeScriptPool(engine, self._module, linker, handles)
        self._checkpoints = Checkpoints()
        self._backstop = Backstop(engine)
        self._preparer = Preparer(Swc(guest / "swc.wasm", progress))
        stripper = read_guest(guest / "swc.wasm")
        self.fingerprint = fingerprint(self.language, SEMANTICS, wasm, stripper)

    def start(self, program: Program, names: Sequence[ToolName], limits: Limits) -> Execution:
        """Return an execution of a program. The program starts with the first `advance`."""
        return TypeScriptExecution(
            program,
            names,
            limits,
            backstop=self._backstop,
            preparer=self._preparer,
            pool=self._pool,
            checkpoints=self._checkpoints,
        )
