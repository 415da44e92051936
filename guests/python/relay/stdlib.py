"""The rest of the standard library is carried in the image as code, because a guest has no files.

`componentize-py` keeps only what was imported when the image was made.
"""

import argparse
import importlib.abc
import importlib.machinery
import importlib.util
import io
import marshal
import os
import sys
import types
import zlib
from collections.abc import Iterator, Sequence

from relay.pristine import __builtins__  # noqa: F401

_LEFT_OUT = {
    "__phello__",
    "config-3.14-wasm32-wasi",
    "idlelib",
    "lib-dynload",
    "site-packages",
    "test",
    "tkinter",
    "turtledemo",
}
"""Folders of the library with nothing in them for a program in a sandbox."""


class CarriedLibrary(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds and loads modules of the standard library that are not imported yet."""

    def __init__(self) -> None:
        self._modules = {name: found for name, *found in _modules(_folder(), "")}
        with open(f"{_folder()}/LICENSE.txt", "rb") as file:
            self.licence = file.read()  # build.py takes it out of the image again

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The place of a module that is carried here."""
        found = self._modules.get(fullname)
        if found is None:
            return None
        return importlib.util.spec_from_loader(fullname, self, is_package=bool(found[0]))

    def exec_module(self, module: types.ModuleType) -> None:
        """Run a module's code."""
        code = self._modules[module.__name__][1]
        exec(marshal.loads(zlib.decompress(code)), module.__dict__)  # type: ignore[arg-type]


def carry() -> None:
    """Take the library and the time zones into the image."""
    sys.meta_path.append(CarriedLibrary())
    _carry_time_zones()


def _folder() -> str:
    return os.path.dirname(argparse.__file__)  # not os: frozen, it does not know its folder


def _modules(folder: str, package: str) -> Iterator[tuple[str, bool, bytes]]:
    for entry in sorted(os.listdir(folder)):
        path = f"{folder}/{entry}"
        if entry in _LEFT_OUT:
            continue
        if entry == "__init__.py":
            yield package[:-1], True, _compiled(path)
        elif entry.endswith(".py"):
            yield package + entry[:-3], False, _compiled(path)
        elif os.path.exists(f"{path}/__init__.py"):
            yield from _modules(path, f"{package}{entry}.")


def _compiled(path: str) -> bytes:
    with open(path, "rb") as file:
        code = compile(file.read(), path, "exec", dont_inherit=True, optimize=0)
    return zlib.compress(marshal.dumps(code), 9)


def _carry_time_zones() -> None:
    import zoneinfo._common

    import tzdata

    zones = dict(_zones(f"{os.path.dirname(tzdata.__file__)}/zoneinfo", ""))

    def load_tzdata(key: str) -> io.BytesIO:
        try:
            return io.BytesIO(zlib.decompress(zones[key]))
        except KeyError:
            raise zoneinfo.ZoneInfoNotFoundError(f"No time zone found with key {key}") from None

    zoneinfo._common.load_tzdata = load_tzdata  # type: ignore[assignment]
    names = frozenset(zones)
    zoneinfo.available_timezones = zoneinfo._tzpath.available_timezones = lambda: set(names)


def _zones(folder: str, prefix: str) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(os.listdir(folder)):
        path = f"{folder}/{entry}"
        if os.path.isdir(path):
            yield from _zones(path, f"{prefix}{entry}/")
        elif "." not in entry:
            with open(path, "rb") as file:
                data = file.read()
            if data.startswith(b"TZif"):
                yield prefix + entry, zlib.compress(data, 9)
