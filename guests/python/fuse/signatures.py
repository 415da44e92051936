"""The types of what a component imports, as JSON: a core module no longer tells them."""

from typing import Any

import wasmtime
from wasmtime.component import Component
from wasmtime.component import _types as types

from guests.python.fuse.binary import joined, sections

_TYPE, _ALIAS, _IMPORT = 7, 6, 10
_CORE_MODULE = 1


def signatures(component: bytes) -> dict[str, Any]:
    """Parameters and result of every import, by interface and name, without versions."""
    engine = wasmtime.Engine()
    found = Component(engine, _head(component)).type.imports(engine)
    by_name: dict[str, Any] = {}
    for name, item in found.items():
        kind: Any = item.ty
        if isinstance(kind, types.FuncType):
            by_name[name] = _function(kind)
            continue
        interface = name.partition("@")[0]
        for inner, export in kind.exports(engine).items():
            function: Any = export.ty
            if isinstance(function, types.FuncType):
                by_name[f"{interface}#{inner}"] = _function(function)
    return by_name


def _head(component: bytes) -> bytes:
    """The component's imports alone, which takes no time to compile."""
    head = []
    for kind, content in sections(component):
        if kind == _CORE_MODULE:
            break
        head.append((kind, content))
    return joined(component[:8], head)


def _function(kind: types.FuncType) -> dict[str, Any]:
    return {
        "takes": [_as_json(param) for _, param in kind.params],
        "gives": _as_json(kind.result) if kind.result is not None else None,
    }


def _as_json(kind: Any) -> Any:
    match kind:
        case types.ListType():
            return ["list", _as_json(kind.element)]
        case types.RecordType():
            return ["record", [[name, _as_json(inner)] for name, inner in kind.fields]]
        case types.TupleType():
            return ["tuple", [_as_json(inner) for inner in kind.elements]]
        case types.VariantType():
            return ["variant", [[name, _maybe(inner)] for name, inner in kind.cases]]
        case types.EnumType():
            return ["enum", kind.names]
        case types.FlagsType():
            return ["flags", kind.names]
        case types.OptionType():
            return ["option", _as_json(kind.payload)]
        case types.ResultType():
            return ["result", _maybe(kind.ok), _maybe(kind.err)]
        case types.OwnType() | types.BorrowType():
            return "handle"
    return type(kind).__name__.lower()


def _maybe(kind: Any) -> Any:
    return None if kind is None else _as_json(kind)
