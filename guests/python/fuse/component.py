"""Reads how a component puts its core modules together."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from guests.python.fuse.binary import Reader, sections

_MODULE, _INSTANCE, _COMPONENT_INSTANCE, _ALIAS, _CANON, _IMPORT, _EXPORT = 1, 2, 5, 6, 8, 10, 11
_CORE, _FUNCTION, _COMPONENT_INSTANCE_SORT = 0, 1, 5
_CORE_INSTANCE = 0x12
_TYPE_BOUND = 3
_WITH_INDEX = (3, 4, 5, 7)
"""The options of a lifted or lowered function that name something: the fourth is `realloc`."""
_REALLOC = 4
_LIFT, _LOWER, _DROP = 0, 1, 3


@dataclass(frozen=True, slots=True)
class Exported:
    """What an instance of a module exports under a name."""

    instance: int
    name: str


@dataclass(frozen=True, slots=True)
class Lowered:
    """A function of the host, and what allocates memory for its answers."""

    realloc: Exported | None


@dataclass(frozen=True, slots=True)
class Dropped:
    """The function by which a guest gives a resource back."""


Item: TypeAlias = Exported | Lowered | Dropped


@dataclass(frozen=True, slots=True)
class Instance:
    """A module, and the instances that it imports from, by the names it has for them."""

    module: int
    arguments: Mapping[str, int]


@dataclass(slots=True)
class Component:
    """The core of a component. An instance is one of a module, or a mere set of names."""

    modules: list[bytes] = field(default_factory=list)
    instances: list[Instance | dict[str, Item]] = field(default_factory=list)
    lifted: dict[str, Exported] = field(default_factory=dict)
    """What the component exports, by its own names."""

    def find(self, instance: int, name: str) -> Item:
        """What an instance has under a name, in the end."""
        found = self.instances[instance]
        if isinstance(found, Instance):
            return Exported(instance, name)
        item = found[name]
        return self.find(item.instance, item.name) if isinstance(item, Exported) else item


def read(data: bytes) -> Component:
    """A component's parts. Anything that componentize-py does not make is refused."""
    reading = _Reading()
    for kind, content in sections(data):
        reading.section(kind, content)
    return reading.component


class _Reading:
    def __init__(self) -> None:
        self.component = Component()
        self._core: dict[int, list[Item]] = {}
        self._functions: list[Exported | None] = []

    def section(self, kind: int, content: bytes) -> None:
        reader = Reader(content)
        if kind == _MODULE:
            self.component.modules.append(content)
        elif kind in _READERS:
            for _ in reader.items():
                _READERS[kind](self, reader)

    def _import(self, reader: Reader) -> None:
        reader.byte()
        reader.name()
        sort = reader.byte()
        if sort == _TYPE_BOUND:
            if reader.byte() == 0:
                reader.number()
            return
        reader.number()
        if sort == _FUNCTION:
            self._functions.append(None)

    def _alias(self, reader: Reader) -> None:
        sort = reader.byte()
        core = reader.byte() if sort == _CORE else None
        target, index = reader.byte(), reader.number()
        if target == 2:  # of an enclosing component
            reader.number()
            return
        name = reader.name()
        if core is not None:
            self._core.setdefault(core, []).append(Exported(index, name))
        elif sort == _FUNCTION:
            self._functions.append(None)

    def _instance(self, reader: Reader) -> None:
        if reader.byte() == 0:
            module, arguments = reader.number(), {}
            for _ in reader.items():
                name, sort = reader.name(), reader.byte()
                if sort != _CORE_INSTANCE:
                    raise ValueError("a module is given something that is no instance")
                arguments[name] = reader.number()
            self.component.instances.append(Instance(module, arguments))
            return
        names = {}
        for _ in reader.items():
            name, sort = reader.name(), reader.byte()
            names[name] = self._core[sort][reader.number()]
        self.component.instances.append(names)

    def _canon(self, reader: Reader) -> None:
        kind, functions = reader.byte(), self._core.setdefault(0, [])
        if kind == _LIFT:
            reader.byte()
            function = functions[reader.number()]
            self._options(reader)
            reader.number()
            if not isinstance(function, Exported):
                raise ValueError("the component exports a function of the host's")
            self._functions.append(function)
        elif kind == _LOWER:
            reader.byte()
            reader.number()
            functions.append(Lowered(self._options(reader)))
        elif kind == _DROP:
            reader.number()
            functions.append(Dropped())
        else:
            raise ValueError(f"the component uses what is not known here: canon {kind:#x}")

    def _options(self, reader: Reader) -> Exported | None:
        """The function that allocates, if one is named."""
        realloc = None
        for _ in reader.items():
            option = reader.byte()
            if option in _WITH_INDEX:
                found = self._core[2 if option == 3 else 0][reader.number()]
                if option == _REALLOC:
                    assert isinstance(found, Exported)
                    realloc = found
        return realloc

    def _export(self, reader: Reader) -> None:
        reader.byte()
        name, sort, index = reader.name(), reader.byte(), reader.number()
        if reader.byte():
            raise ValueError("an export with a type of its own")
        if sort == _FUNCTION:
            function = self._functions[index]
            assert function is not None
            self.component.lifted[name] = function
            self._functions.append(function)


_READERS = {
    _IMPORT: _Reading._import,
    _ALIAS: _Reading._alias,
    _INSTANCE: _Reading._instance,
    _CANON: _Reading._canon,
    _EXPORT: _Reading._export,
}
