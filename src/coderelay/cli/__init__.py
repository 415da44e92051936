"""The command line: what a person sees of a run."""

from coderelay.cli.app import main

__all__ = ["main"]
