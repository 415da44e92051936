"""The interface of an engine, the part of a language that runs its programs."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from coderelay.core import Execution, Limits, Program, ToolName

Progress: TypeAlias = Callable[[str], None]
"""Receives a sentence about each slow step while an engine is loaded, such as compiling."""


class Engine(Protocol):
    """Runs programs of one language, each in a sandbox of its own."""

    @property
    def language(self) -> str:
        """The name of the language."""

    @property
    def fingerprint(self) -> str:
        """Identifies the guest and how it behaves. Two engines with the same fingerprint run every
        program the same way."""

    def start(self, program: Program, names: Sequence[ToolName], limits: Limits) -> Execution:
        """Return an execution of a program. The program starts with the first `advance`."""


__all__ = ["Engine", "Execution", "Progress"]
