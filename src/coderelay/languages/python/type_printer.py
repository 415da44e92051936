"""Prints types as Python. An object becomes a TypedDict, which needs a name."""

import keyword
import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import assert_never

from coderelay.core import Json
from coderelay.core.unicode import normalize
from coderelay.languages.naming import Claims, pascal
from coderelay.schemas.schema_notes import dump, lines
from coderelay.schemas.schema_reader import SchemaReading
from coderelay.schemas.type_model import (
    Array,
    Both,
    Constant,
    Definition,
    NamedType,
    Never,
    Notes,
    Object,
    Objects,
    Primitive,
    Property,
    Shape,
    Tuple,
    UnionType,
    Unknown,
)

_KINDS = {
    "string": "str",
    "number": "float",
    "integer": "int",
    "boolean": "bool",
    "null": "None",
}
_LONG = 60
_MERGES = 20


class Types:
    """The types that were declared so far, for all tools. `used` are the names from `typing`."""

    def __init__(self, taken: Iterable[str]) -> None:
        self.names = Claims(taken)
        self.used: set[str] = set()
        self._blocks: list[str] = []

    def add(self, block: str) -> None:
        """Add the declaration of a type."""
        self._blocks.append(block)

    def take(self) -> list[str]:
        """The declarations that were added since the last call."""
        blocks, self._blocks = self._blocks, []
        return blocks

    def need(self, word: str) -> str:
        """The name itself, remembered as one to import from `typing`."""
        self.used.add(word)
        return word


class Printer:
    """Prints the types of one schema. Those that need a declaration are added to `types`."""

    def __init__(self, reading: SchemaReading, prefix: str, *, label: str, types: Types) -> None:
        self._types = types
        self._prefix = prefix
        self._definitions = reading.definitions
        self._referenced: set[str] = set()
        self._waiting: deque[str] = deque()
        self._objects = Objects(reading.definitions)
        self._merges = 0
        self._names: dict[str, str] = {}
        for reference in reading.definitions:
            last = pascal(reference.rsplit("/", 1)[-1]) or label
            base = last if last.startswith(prefix) else prefix + last
            self._names[reference] = types.names.claim(base)

    def define(self) -> None:
        """Declare the definitions whose names were printed, mostly before they are used."""
        blocks: list[str] = []
        while self._waiting:  # printing one may ask for more
            reference = self._waiting.popleft()
            blocks.append(self._define(self._names[reference], self._definitions[reference]))
        for block in reversed(blocks):
            self._types.add(block)

    def type(self, shape: Shape, hint: str) -> str:
        """A type as Python text. An object without a name is declared under the `hint`."""
        match shape:
            case Unknown():
                return self._types.need("Any")
            case Never():
                return self._types.need("Never")
            case Primitive(kind):
                return _KINDS[kind]
            case Constant():
                return self._choice((shape,), hint)
            case NamedType(reference):
                return self._name(reference)
            case Array(item):
                return f"list[{self.type(item, hint)}]"
            case Tuple(items, rest):
                return self._tuple(items, rest, hint)
            case Object():
                return self._object(shape, hint)
            case UnionType(options):
                return self._choice(options, hint)
            case Both(parts):
                return self.type(self._merged(shape) or parts[0], hint)
            case _:
                assert_never(shape)

    def gathered(self, hint: str, properties: Sequence[Property]) -> str:
        """The type of keyword arguments that are collected in one TypedDict."""
        name = self._types.names.claim(hint)
        self._types.add(self.typed_dict(name, properties, Notes()))
        return f"{self._types.need('Unpack')}[{name}]"

    def typed_dict(self, name: str, properties: Sequence[Property], notes: Notes) -> str:
        """The declaration of a TypedDict: as a class, if its keys can be attributes."""
        inner = [(each, self._entry(each, self._hint(name, each.name))) for each in properties]
        self._types.need("TypedDict")
        about = comment(Notes(notes.description), "")
        if any(not is_parameter(each.name) or self._hides(each.name) for each in properties):
            rows = [
                f"{comment(each.notes, '    ')}    {text(each.name)}: {entry},\n"
                for each, entry in inner
            ]
            return f'{about}{name} = TypedDict("{name}", {{\n{"".join(rows)}}})'
        rows = [f"{comment(each.notes, '    ')}    {each.name}: {entry}" for each, entry in inner]
        return "\n".join([f"{about}class {name}(TypedDict):", *rows])

    def _name(self, reference: str) -> str:
        if reference not in self._referenced:
            self._referenced.add(reference)
            self._waiting.append(reference)
        return self._names[reference]

    def _define(self, name: str, definition: Definition) -> str:
        shape = definition.shape
        if isinstance(shape, Both):
            shape = self._merged(shape) or shape
        if isinstance(shape, Object) and shape.properties:
            return self.typed_dict(name, shape.properties, definition.notes)
        body = self.type(shape, self._hint(name, "Value"))
        about = comment(definition.notes, "")
        return f"{about}{name}: {self._types.need('TypeAlias')} = {body}"

    def _merged(self, shape: Both) -> Object | None:
        """The parts as one object, or None after too many merges. Objects inside are declared anew
        each time, so without a limit there might be no end.
        """
        self._merges += 1
        return self._objects.of(shape) if self._merges <= _MERGES else None

    def _object(self, shape: Object, hint: str) -> str:
        if shape.properties:
            name = self._types.names.claim(hint)
            self._types.add(self.typed_dict(name, shape.properties, Notes()))
            return name
        extra = shape.extra if shape.extra is not None else Unknown()
        return f"dict[str, {self.type(extra, hint)}]"

    def _entry(self, each: Property, hint: str) -> str:
        inner = self.type(each.shape, hint)
        return inner if each.required else f"{self._types.need('NotRequired')}[{inner}]"

    def _tuple(self, items: Sequence[Shape], rest: Shape | None, hint: str) -> str:
        inner = [self.type(item, hint) for item in items]
        if rest is None:
            return f"tuple[{', '.join(inner)}]"
        return f"list[{' | '.join(dict.fromkeys([*inner, self.type(rest, hint)]))}]"

    def _choice(self, options: Sequence[Shape], hint: str) -> str:
        literals: dict[str, None] = {}
        others: dict[str, None] = {}
        for option in options:
            if not isinstance(option, Constant):
                others[self.type(option, hint)] = None
            elif is_literal(option.value):
                literals[literal(option.value)] = None
            else:
                others[self._wide(option.value)] = None
        null = literals.pop("None", 0) is None or others.pop("None", 0) is None
        found = [*others]
        if literals:
            found.insert(0, f"{self._types.need('Literal')}[{', '.join(literals)}]")
        return " | ".join([*found, "None"] if null else found)

    def _wide(self, value: Json) -> str:
        """The type of a value that cannot be in a Literal."""
        match value:
            case float():
                return "float"
            case int():
                return "int"
            case list():
                return f"list[{self._types.need('Any')}]"
            case Mapping():
                return f"dict[str, {self._types.need('Any')}]"
            case _:
                return self._types.need("Any")

    def _hint(self, name: str, inner: str) -> str:
        return (name if len(name) < _LONG else self._prefix) + (pascal(inner) or "Value")

    def _hides(self, name: str) -> bool:
        """Whether an attribute of this name would hide a type, or would be mangled by the class."""
        return name in self._types.names or name.startswith("__")


def comment(notes: Notes, indent: str) -> str:
    """Notes as comment lines."""
    rows = lines(notes.description)
    if limits := tags(notes):
        rows[-1:] = [f"{rows[-1]} ({limits})" if rows else limits]
    return "".join(f"{indent}# {row}".rstrip() + "\n" for row in rows)


def tags(notes: Notes, skip: str = "") -> str:
    """The tags of notes as text: `minimum 1, maximum 50`."""
    if not notes.tags:
        return ""
    texts = [f"{word} {value}".rstrip() for word, value in notes.tags if word != skip]
    return " ".join(lines(", ".join(texts)))


def is_parameter(name: str) -> bool:
    """Whether a parameter can have this name."""
    return (
        name.isidentifier()
        and not keyword.iskeyword(name)
        and name != "__debug__"
        and normalize("NFKC", name) == name
    )


def is_literal(value: Json) -> bool:
    """Whether a Literal can hold the value."""
    if isinstance(value, int):
        return abs(value) < 2**64
    return value is None or isinstance(value, str)


def literal(value: Json) -> str:
    """The Python text of a scalar."""
    if isinstance(value, str):
        return text(value)
    assert not isinstance(value, float) or math.isfinite(value)
    return repr(value)


def text(value: str) -> str:
    """The Python text of a string: a JSON string is a Python string, too."""
    return dump(value)
