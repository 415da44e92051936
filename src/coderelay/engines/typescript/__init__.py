"""The TypeScript engine: QuickJS in the sandbox, after the types are stripped from the source."""

from coderelay.engines.typescript.engine import TypeScriptEngine

__all__ = ["TypeScriptEngine"]
