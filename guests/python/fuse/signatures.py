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
    told: dict[str, Any] = {}
    for name, item in found.items():
        kind: Any = item.ty
        if isinstance(kind, types.FuncType):
            told[name] = _function(kind)
            continue
        interface = name.partition("@")[0]
        for inner, export in kind.exports(engine).items():
            function: Any = export.ty
            if isinstance(function, types.FuncType):
                told[f"{interface}#{inner}"] = _function(function)
    return told


def _head(component: bytes) -> bytes:
    """The component's imports alone, which takes no time to compile."""
    kept = []
    for kind, content in sections(component):
        if kind == _CORE_MODULE:
            break
        kept.append((kind, content))
    return joined(component[:8], kept)


def _function(kind: types.FuncType) -> dict[str, Any]:
    return {
        "takes": [_told(param) for _, param in kind.params],
        "gives": _told(kind.result) if kind.result is not None else None,
    }


def _told(kind: Any) -> Any:
    match kind:
        case types.ListType():
            return ["list", _told(kind.element)]
        case types.RecordType():
            return ["record", [[name, _told(inner)] for name, inner in kind.fields]]
        case types.TupleType():
            return ["tuple", [_told(inner) for inner in kind.elements]]
        case types.VariantType():
            return ["variant", [[name, _maybe(inner)] for name, inner in kind.cases]]
        case types.EnumType():
            return ["enum", kind.names]
        case types.FlagsType():
            return ["flags", kind.names]
        case types.OptionType():
            return ["option", _told(kind.payload)]
        case types.ResultType():
            return ["result", _maybe(kind.ok), _maybe(kind.err)]
        case types.OwnType() | types.BorrowType():
            return "handle"
    return type(kind).__name__.lower()


def _maybe(kind: Any) -> Any:
    return None if kind is None else _told(kind)
