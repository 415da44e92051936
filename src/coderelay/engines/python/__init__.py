"""The Python engine: full CPython in the sandbox."""

from coderelay.engines.python.engine import PythonEngine

__all__ = ["PythonEngine"]
