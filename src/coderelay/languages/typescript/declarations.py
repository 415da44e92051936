"""Tools as TypeScript functions: each takes one object and returns a promise."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import assert_never

from coderelay.core import Json, Tool, ToolName
from coderelay.languages.language import ToolPrinter, Wording
from coderelay.languages.naming import Claims, pascal
from coderelay.languages.typescript.reserved_names import RESERVED
from coderelay.schemas.schema_notes import brief, cut, dump, lines
from coderelay.schemas.schema_reader import SchemaReading, read
from coderelay.schemas.type_model import (
    UNKNOWN,
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
    choice,
)

_WIDTH = 100
_PLAIN_KEY = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_KINDS = {
    "string": "string",
    "number": "number",
    "integer": "number",
    "boolean": "boolean",
    "null": "null",
}
_MAX_DEPTH = 8

# Of these alone a Record or the rest of a tuple may be made: the compiler looks into both at
# once, and then finds an alias that recurs through them to be circular.
_PLAIN = (Primitive, Unknown, Never)

WORDING = Wording(
    argument="property",
    inner="property",
    step=lambda name: f".{name}" if _PLAIN_KEY.fullmatch(name) else f"[{brief(name, _WIDTH)}]",
)


def declare(tools: Sequence[Tool], names: Sequence[ToolName]) -> str:
    """The declarations of all tools in tool order, each after the types that it names."""
    claims = Claims(RESERVED)
    blocks: list[str] = []
    for tool, name in zip(tools, names, strict=True):
        blocks.extend(_declare(tool, name.identifiers[0], claims))
    return "\n\n".join(blocks)


def signature(tool: Tool, identifier: str) -> str:
    """How a tool is called, on one line."""
    parameters = read(tool.parameters)
    printer = _TypeScriptPrinter(
        _type_names(parameters, identifier, "Args", Claims()), documented=False
    )
    return f"{identifier}({_arguments(parameters, printer)})"


def line(tool: Tool, identifier: str) -> str:
    """How a tool is called and, where that is known, what it returns, on one line."""
    if tool.returns is None:
        return signature(tool, identifier)
    returns = read(tool.returns)
    printer = _TypeScriptPrinter(
        _type_names(returns, identifier, "Result", Claims()), documented=False
    )
    return f"{signature(tool, identifier)}: Promise<{printer.type(returns.shape, '')}>"


def parameters(tool: Tool, identifier: str, length: int) -> dict[str, str]:
    """Each parameter by its name, with its type on one line, shortened to a length."""
    reading = read(tool.parameters)
    whole = Objects(reading.definitions).of(reading.shape) or Object()
    printer = _TypeScriptPrinter(
        _type_names(reading, identifier, "Args", Claims()), documented=False
    )
    return {each.name: cut(printer.member(each, ""), length) for each in whole.properties}


def call(tool: Tool, identifier: str) -> str:
    """An example of a call, with placeholders for the required arguments."""
    parameters = read(tool.parameters)
    whole = Objects(parameters.definitions).of(parameters.shape) or Object()
    chosen = [each for each in whole.properties if each.required] or list(whole.properties[:1])
    members = [f"{_key(each.name)}: {_sample(each.shape)}" for each in chosen]
    return f"{identifier}({{ {', '.join(members)} }})" if members else f"{identifier}({{}})"


def _declare(tool: Tool, identifier: str, claims: Claims) -> Iterator[str]:
    parameters = read(tool.parameters)
    returns = read(tool.returns) if tool.returns is not None else SchemaReading(UNKNOWN, {})
    printers = []
    for reading, label in ((parameters, "Args"), (returns, "Result")):
        printer = _TypeScriptPrinter(_type_names(reading, identifier, label, claims))
        for reference, definition in reading.definitions.items():
            yield printer.definition(reference, definition)
        printers.append(printer)
    arguments = _arguments(parameters, printers[0])
    result = printers[1].type(returns.shape, "")
    text = f"declare function {identifier}({arguments}): Promise<{result}>;"
    yield _comment(Notes(tool.description.strip()), "") + text


def _type_names(
    reading: SchemaReading, identifier: str, label: str, claims: Claims
) -> Mapping[str, str]:
    prefix = pascal(identifier)
    found = {}
    for reference in reading.definitions:
        last = pascal(reference.rsplit("/", 1)[-1]) or label
        base = last if last.startswith(prefix) else prefix + last
        found[reference] = claims.claim(base)
    return found


def _arguments(parameters: SchemaReading, printer: "_TypeScriptPrinter") -> str:
    """The parameter list: empty, or one object, which is optional if none of its properties is
    required."""
    if parameters.shape in (Object(), UNKNOWN):
        return ""
    whole = Objects(parameters.definitions).of(parameters.shape)
    needed = whole is None or any(each.required for each in whole.properties)
    return f"args{'' if needed else '?'}: {printer.type(parameters.shape, '')}"


class _TypeScriptPrinter:
    """Prints types. Definitions are printed as the names that were chosen for them."""

    def __init__(self, names: Mapping[str, str], *, documented: bool = True) -> None:
        self._names = names
        self._documented = documented

    def definition(self, reference: str, definition: Definition) -> str:
        """The declaration of a named type."""
        text = self.type(definition.shape, "")
        return f"{_comment(definition.notes, '')}type {self._names[reference]} = {text};"

    def type(self, shape: Shape, indent: str) -> str:
        """A type as TypeScript text."""
        match shape:
            case Unknown():
                return "unknown"
            case Never():
                return "never"
            case Primitive(kind):
                return _KINDS[kind]
            case Constant(value):
                return _literal(value)
            case NamedType(reference):
                return self._names[reference]
            case Array(item):
                return self._array(item, indent)
            case Tuple():
                return self._tuple(shape, indent)
            case Object():
                return self._object(shape, indent)
            case UnionType(options):
                return " | ".join(self._operands(options, indent, " & "))
            case Both(parts):
                return " & ".join(self._operands(parts, indent, " | "))
            case _:
                assert_never(shape)

    def member(self, each: Property, indent: str) -> str:
        """One property and its type."""
        text = self.type(each.shape, indent)
        return f"{_key(each.name)}{'' if each.required else '?'}: {text}"

    def _operands(self, shapes: Sequence[Shape], indent: str, looser: str) -> list[str]:
        texts = dict.fromkeys(self.type(shape, indent) for shape in shapes)
        return [f"({text})" if looser in text else text for text in texts]

    def _array(self, item: Shape, indent: str) -> str:
        text = self.type(item, indent)
        if "\n" in text:
            return f"Array<{text}>"
        return f"({text})[]" if " | " in text or " & " in text else f"{text}[]"

    def _tuple(self, shape: Tuple, indent: str) -> str:
        if shape.rest is None:
            return f"[{', '.join(self.type(item, indent) for item in shape.items)}]"
        if isinstance(shape.rest, _PLAIN):
            items = [self.type(item, indent) for item in shape.items]
            return f"[{', '.join(items)}, ...{self._array(shape.rest, indent)}]"
        return self._array(choice([*shape.items, shape.rest]), indent)

    def _object(self, shape: Object, indent: str) -> str:
        extra = "" if shape.extra is None else self._extra(shape.extra, indent)
        if not shape.properties:
            return extra or "Record<string, unknown>"
        text = self._members(shape.properties, indent)
        return f"{text} & {extra}" if extra else text

    def _extra(self, shape: Shape, indent: str) -> str:
        text = self.type(shape, indent)
        if isinstance(shape, _PLAIN):
            return f"Record<string, {text}>"
        return f"{{ [key: string]: {text} }}"

    def _members(self, properties: Sequence[Property], indent: str) -> str:
        inner = indent + "  "
        comments = [_comment(each.notes, inner) if self._documented else "" for each in properties]
        members = [self.member(each, inner) for each in properties]
        line = f"{{ {'; '.join(members)} }}"
        if not self._documented or (
            not any(comments) and "\n" not in line and len(indent + line) <= _WIDTH
        ):
            return line
        rows = [
            f"{comment}{inner}{member};\n"
            for comment, member in zip(comments, members, strict=True)
        ]
        return f"{{\n{''.join(rows)}{indent}}}"


def _comment(notes: Notes, indent: str) -> str:
    """The notes as JSDoc, on one line if they fit."""
    if not notes.description and not notes.tags:
        return ""
    text = [line.replace("*/", "*\\/") for line in lines(notes.description)]
    tags = [f"@{word} {value}".rstrip().replace("*/", "*\\/") for word, value in notes.tags]
    tags = [" ".join(lines(tag)) for tag in tags]
    line = " ".join([*text, *tags])
    if len(text) <= 1 and len(indent + line) + 7 <= _WIDTH:
        return f"{indent}/** {line} */\n"
    rows = "".join(f"{indent} * {row}".rstrip() + "\n" for row in [*text, *tags])
    return f"{indent}/**\n{rows}{indent} */\n"


def _key(name: str) -> str:
    return name if _PLAIN_KEY.fullmatch(name) else dump(name)


def _literal(value: Json, depth: int = 0) -> str:
    """The type that has only this value."""
    if value is None or isinstance(value, (bool, str)):
        return dump(value)
    if isinstance(value, (int, float)):
        plain = abs(value) < 2**64 and math.isfinite(value)
        return dump(value) if plain else "number"
    if depth > _MAX_DEPTH:
        return "unknown"
    if isinstance(value, list):
        return f"[{', '.join(_literal(item, depth + 1) for item in value)}]"
    if isinstance(value, Mapping):
        members = [f"{_key(str(key))}: {_literal(value[key], depth + 1)}" for key in value]
        return f"{{ {'; '.join(members)} }}" if members else "Record<string, never>"
    return "unknown"


_SAMPLES = {"string": '"..."', "number": "1", "integer": "1", "boolean": "true", "null": "null"}


def _sample(shape: Shape) -> str:
    """A placeholder for a value of a type."""
    match shape:
        case Primitive(kind):
            return _SAMPLES[kind]
        case Constant(value) if value is None or isinstance(value, (str, int, float)):
            return _literal(value)
        case Array() | Tuple():
            return "[...]"
        case UnionType(options):
            return _sample(options[0])
        case _:
            return "{ ... }"


PRINTER = ToolPrinter(declare, signature, line, parameters, call)
