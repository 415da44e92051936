"""Modules that the host provides to a session as source. They are found before all others."""

import importlib.abc
import importlib.machinery
import importlib.util
import linecache
import types
from collections.abc import Mapping, Sequence
from typing import Any

from relay.pristine import __builtins__  # noqa: F401

_lines = linecache.cache


class HostModules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds and loads them. Each has some names from the start: its way to the host."""

    def __init__(self, sources: Mapping[str, str], names: Mapping[str, Any]) -> None:
        self._sources = sources
        self._names = names

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Find a module that the host provided."""
        if fullname not in self._sources:
            return None
        spec = importlib.util.spec_from_loader(fullname, self, origin=f"{fullname}.py")
        assert spec is not None
        spec.has_location = True  # so that it has a `__file__`, which `help` shows
        return spec

    def exec_module(self, module: types.ModuleType) -> None:
        """Run a module's source."""
        source, file = self._sources[module.__name__], f"{module.__name__}.py"
        _lines[file] = linecache_entry(source, file)
        module.__dict__.update(self._names)
        exec(compile(source, file, "exec", dont_inherit=True), module.__dict__)

    def get_source(self, fullname: str) -> str | None:
        """For `inspect`, which shows functions."""
        return self._sources.get(fullname)


def linecache_entry(source: str, file: str) -> Any:
    """An entry of `linecache` that it never looks up again."""
    return len(source), None, source.splitlines(True), file
