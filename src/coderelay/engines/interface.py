"""What an engine is."""

from collections.abc import Sequence
from typing import Protocol

from coderelay.core import Execution, Limits, Program, ToolName


class Engine(Protocol):
    """Runs programs of one language, each in a sandbox of its own."""

    @property
    def language(self) -> str:
        """The language's name: `typescript`, `python`."""

    @property
    def fingerprint(self) -> str:
        """Stands for the guest image and its semantics: equal fingerprints, equal runs."""

    def start(self, program: Program, names: Sequence[ToolName], limits: Limits) -> Execution:
        """Make a program ready. Nothing of it runs before the first `advance`."""


__all__ = ["Engine", "Execution"]
