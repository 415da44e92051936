"""Tools as Python stubs: functions with keyword arguments, async or not."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from coderelay.core import Json, Tool, ToolName
from coderelay.languages.language import ToolPrinter, Wording
from coderelay.languages.naming import Claims, pascal
from coderelay.languages.python.reserved_names import RESERVED
from coderelay.languages.python.type_printer import (
    Printer,
    Types,
    is_literal,
    is_parameter,
    literal,
    tags,
    text,
)
from coderelay.schemas.schema_notes import brief, cut, lines
from coderelay.schemas.schema_reader import SchemaReading, property_names, read
from coderelay.schemas.type_model import (
    UNKNOWN,
    Array,
    Constant,
    Object,
    Objects,
    Primitive,
    Property,
    Shape,
    Tuple,
    UnionType,
)

_WIDTH = 100
_TYPING = ("Any", "Literal", "Never", "NotRequired", "TypeAlias", "TypedDict", "Unpack")
_KIND_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}

WORDING = Wording(argument="argument", inner="key", step=lambda name: f"[{brief(name, _WIDTH)}]")


@dataclass(frozen=True, slots=True)
class Stub:
    """The stub of one tool, and the types that it needs and no earlier stub declared."""

    types: tuple[str, ...]
    function: str


@dataclass(frozen=True, slots=True)
class Stubs:
    """The stubs of all tools, in tool order, and the names from `typing` that they use."""

    imports: tuple[str, ...]
    stubs: tuple[Stub, ...]

    def text(self) -> str:
        """The stubs as one text, each after its types."""
        blocks = [part for stub in self.stubs for part in (*stub.types, stub.function)]
        if self.imports:
            blocks.insert(0, f"from typing import {', '.join(self.imports)}")
        return "\n\n".join(blocks)


def declare(tools: Sequence[Tool], names: Sequence[ToolName]) -> str:
    """The stubs of all tools in tool order, each after the types that it names."""
    return stubs(tools, names).text()


def stubs(tools: Sequence[Tool], names: Sequence[ToolName], *, word: str = "async def") -> Stubs:
    """The stubs of all tools in parts; `word` begins each function: `def` or `async def`."""
    types = Types(RESERVED | {name.identifiers[0] for name in names})
    found: list[Stub] = []
    for tool, name in zip(tools, names, strict=True):
        function = _function(tool, name.identifiers[0], types, word)
        found.append(Stub(tuple(types.take()), function))
    return Stubs(tuple(each for each in _TYPING if each in types.used), tuple(found))


def signature(tool: Tool, identifier: str) -> str:
    """How a tool is called, on one line."""
    parameters, _ = _parameters(tool, identifier, Types(RESERVED))
    return f"{identifier}({', '.join(parameters)})"


def line(tool: Tool, identifier: str) -> str:
    """How a tool is called and, where that is known, what it returns, on one line."""
    if tool.returns is None:
        return signature(tool, identifier)
    result = _result(tool, identifier, Types(RESERVED))
    return f"{signature(tool, identifier)} -> {result}"


def parameters(tool: Tool, identifier: str, length: int) -> dict[str, str]:
    """Each parameter by its name, with its type on one line, shortened to a length."""
    reading, prefix = read(tool.parameters), pascal(identifier)
    whole = Objects(reading.definitions).of(reading.shape) or Object()
    printer = Printer(reading, prefix, label="Args", types=Types(RESERVED))
    found = {}
    for each in whole.properties:
        type_ = printer.type(each.shape, prefix + (pascal(each.name) or "Value"))
        found[each.name] = cut(f"{each.name}: {type_}", length)
    return found


def call(tool: Tool, identifier: str) -> str:
    """An example of a call, with placeholders for the required arguments."""
    reading = read(tool.parameters)
    whole = Objects(reading.definitions).of(reading.shape) or Object()
    chosen = [each for each in whole.properties if each.required] or list(whole.properties[:1])
    plain = [each for each in chosen if is_parameter(each.name)]
    passed = [f"{each.name}={_sample(each.shape)}" for each in plain]
    others = [f"{text(each.name)}: {_sample(each.shape)}" for each in chosen if each not in plain]
    if others:
        passed.append(f"**{{{', '.join(others)}}}")
    return f"{identifier}({', '.join(passed)})"


def _function(tool: Tool, identifier: str, types: Types, word: str) -> str:
    parameters, documented = _parameters(tool, identifier, types)
    result = _result(tool, identifier, types)
    head = f"{word} {identifier}({', '.join(parameters)}) -> {result}:"
    if len(head) > _WIDTH:
        rows = "".join(f"    {each},\n" for each in parameters)
        head = f"{word} {identifier}(\n{rows}) -> {result}:"
    doc = _docstring(tool.description, documented)
    return f"{head}\n{doc}" if doc else f"{head} ..."


def _result(tool: Tool, identifier: str, types: Types) -> str:
    """The type of what a tool returns."""
    prefix = pascal(identifier)
    returns = read(tool.returns) if tool.returns is not None else SchemaReading(UNKNOWN, {})
    printer = Printer(returns, prefix, label="Result", types=types)
    result = printer.type(returns.shape, prefix + "Result")
    printer.define()
    return result


def _parameters(tool: Tool, identifier: str, types: Types) -> tuple[list[str], Sequence[Property]]:
    """The parameter list, and the parameters that the docstring describes."""
    reading, prefix = read(tool.parameters), pascal(identifier)
    printer = Printer(reading, prefix, label="Args", types=types)
    whole = Objects(reading.definitions).of(reading.shape)
    if whole is None:
        open_ended = reading.shape == UNKNOWN
        return ([] if open_ended else [f"**arguments: {types.need('Any')}"]), ()
    order = {name: place for place, name in enumerate(property_names(tool.parameters))}
    known = sorted(whole.properties, key=lambda each: order.get(each.name, len(order)))
    plain = [each for each in known if is_parameter(each.name)]
    found = ["*"] if plain else []
    for each in plain:
        type_ = printer.type(each.shape, prefix + (pascal(each.name) or "Value"))
        found.append(f"{each.name}: {type_}" + ("" if each.required else f" = {_default(each)}"))
    odd = [each for each in known if not is_parameter(each.name)]
    others = _others(odd, whole.extra, prefix, printer)
    if others:
        found.append(f"**{Claims(each.name for each in plain).claim('others')}: {others}")
    printer.define()
    return found, plain


def _others(odd: Sequence[Property], extra: Shape | None, prefix: str, printer: Printer) -> str:
    """The type of the arguments that have no parameter; empty if there are none.

    Arguments whose names cannot be parameters in Python are collected in a TypedDict. A program
    passes them as `**{"from": ...}`.
    """
    if odd:
        return printer.gathered(prefix + "Others", odd)
    return printer.type(extra, prefix + "Others") if extra is not None else ""


def _default(each: Property) -> str:
    """The default as Python text; `...` if there is none or it does not have the type."""
    if each.default is None or not _fits(each.default.value, each.shape):
        return "..."
    return literal(each.default.value)


def _fits(value: Json, shape: Shape) -> bool:
    """Whether a scalar has a type; False where that is not simple to decide."""
    if not is_literal(value) and not (isinstance(value, float) and math.isfinite(value)):
        return False
    match shape:
        case Primitive(kind):
            return isinstance(value, _KIND_TYPES[kind]) and (
                kind == "boolean" or not isinstance(value, bool)
            )
        case Constant(known):
            return type(known) is type(value) and bool(known == value)
        case UnionType(options):
            return any(_fits(value, option) for option in options)
        case _:
            return False


def _docstring(description: str, parameters: Sequence[Property]) -> str:
    rows = lines(description.strip())
    described = [row for each in parameters for row in _parameter_rows(each)]
    if rows and described:
        rows.append("")
    rows.extend(described)
    if not rows:
        return ""
    clean = [row.replace("\\", "\\\\").replace('"""', '\\"\\"\\"') for row in rows]
    if len(clean) == 1 and len(clean[0]) + 10 <= _WIDTH and not clean[0].endswith('"'):
        return f'    """{clean[0]}"""'
    body = "".join(f"    {row}".rstrip() + "\n" for row in clean[1:])
    return f'    """{clean[0]}\n{body}    """'


def _parameter_rows(each: Property) -> list[str]:
    """The rows of the docstring about one parameter; none if the schema does not describe it."""
    in_signature = _default(each) != "..."
    limits = tags(each.notes, skip="default" if in_signature else "")
    about = lines(each.notes.description)
    if limits:
        about[-1:] = [f"{about[-1]} ({limits})" if about else limits]
    return [f"{each.name}: {about[0]}", *(f"    {row}" for row in about[1:])] if about else []


_SAMPLES = {"string": '"..."', "number": "1", "integer": "1", "boolean": "True", "null": "None"}


def _sample(shape: Shape) -> str:
    """A placeholder for a value of a type."""
    match shape:
        case Primitive(kind):
            return _SAMPLES[kind]
        case Constant(value) if is_literal(value):
            return literal(value)
        case Array() | Tuple():
            return "[...]"
        case UnionType(options):
            return _sample(options[0])
        case _:
            return "{...}"


PRINTER = ToolPrinter(declare, signature, line, parameters, call)
