"""The TypeScript engine."""

from coderelay.engines.typescript.engine import TypeScriptEngine

__all__ = ["TypeScriptEngine"]
