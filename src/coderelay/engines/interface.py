"""What an engine is: the part of a language that runs its programs."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from coderelay.core import Execution, Limits, Program, ToolName

Progress: TypeAlias = Callable[[str], None]
"""Is told, in a sentence, what takes long while an engine is loaded."""


class Engine(Protocol):
    """Runs programs of one language, each in a sandbox of its own."""

    @property
    def language(self) -> str:
        """The name of the language."""

    @property
    def fingerprint(self) -> str:
        """Identifies the guest and its semantics. Engines with equal fingerprints run a program
        alike."""

    def start(self, program: Program, names: Sequence[ToolName], limits: Limits) -> Execution:
        """Prepare a program. Nothing of it runs before the first `advance`."""


__all__ = ["Engine", "Execution", "Progress"]
