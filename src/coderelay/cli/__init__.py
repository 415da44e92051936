"""The command line: what a person sees of a run."""

from coderelay.cli.commands import main

__all__ = ["main"]
