"""Why arguments do not fit, in words that a program's author can act on."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import jsonschema_rs

from coderelay.core import Json, Schema
from coderelay.declare.near import nearest
from coderelay.declare.notes import brief
from coderelay.declare.references import References

_VALUE = 60
_OPTIONS = 10
_LOOKED_AT = 50
_NESTED = 8

Error = jsonschema_rs.ValidationError
_UNDECIDED = (
    jsonschema_rs.ValidationErrorKind.BacktrackLimitExceeded,
    jsonschema_rs.ValidationErrorKind.RegexEngineFailure,
)


@dataclass(frozen=True, slots=True)
class Misfit:
    """One reason, and the parameter that it is about, if it is about one."""

    reason: str
    parameter: str | None


def misfits(errors: Iterable[Error], schema: Schema, limit: int) -> list[Misfit]:
    """Up to `limit` reasons, in an order that depends on the arguments alone."""
    references = References(schema)
    found: list[Error] = []
    for error, _ in zip(errors, range(_LOOKED_AT), strict=False):
        found.extend(_inner(error))
    ordered = sorted(found, key=lambda error: (list(map(str, error.instance_path)), error.message))
    told = dict.fromkeys(_misfit(error, references) for error in ordered if _counts(error))
    return list(told)[:limit]


def kind_of(value: Json) -> str:
    """The JSON type of a value."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case str():
            return "string"
        case int():
            return "integer"
        case float():
            return "number"
        case list():
            return "array"
        case _:
            return "object"


def shown(value: Json) -> str:
    """A value and its type, cut."""
    return "null" if value is None else f"{kind_of(value)} {brief(value, _VALUE)}"


def place(path: Sequence[str | int]) -> str:
    """A path into the arguments, as a program would write it: `filters.tags[0]`."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step.isidentifier():
            text += f".{step}" if text else step
        else:
            text += f"[{brief(step, _VALUE)}]"
    return text


def _counts(error: Error) -> bool:
    """Whether an error is the program's: a pattern that cannot be decided is not."""
    return not isinstance(error.kind, _UNDECIDED)


def _inner(error: Error, depth: int = 0) -> list[Error]:
    """The errors to tell of: where no option of a choice fits, those of the one that was meant."""
    if error.kind.name not in ("anyOf", "oneOf") or depth > _NESTED:
        return [error]
    context = getattr(error.kind, "context", [])
    here = len(error.instance_path)
    meant = [branch for branch in context if branch and not _another(branch, here)]
    if not meant or any(not branch for branch in context):
        return [error]
    best = min(meant, key=len)
    return [each for inner in best for each in _inner(inner, depth + 1)]


def _another(branch: Sequence[Error], here: int) -> bool:
    """Whether an option was clearly not meant: the type differs, or the constant that marks it."""
    return any(
        (error.kind.name == "type" and len(error.instance_path) <= here)
        or (error.kind.name in ("const", "enum") and len(error.instance_path) <= here + 1)
        for error in branch
    )


def _misfit(error: Error, references: References) -> Misfit:
    path = error.instance_path
    return Misfit(_reason(error, references), str(path[0]) if path else None)


def _reason(error: Error, references: References) -> str:
    where = place(error.instance_path)
    word = error.kind.name
    if word in _WHOLE:
        return (f"{where}: " if where else "") + _WHOLE[word](error, references)
    said = _VALUES.get(word, _otherwise)(error)
    return f"{where or 'the object'} {said}, got {shown(error.instance)}"


def _required(error: Error, references: References) -> str:
    missing = str(error.kind.as_dict()["property"])
    given = error.instance if isinstance(error.instance, dict) else {}
    known = _properties(error, references)
    close = nearest(missing, [name for name in given if name not in known], 1)
    hint = f" (you passed {brief(close[0], _VALUE)})" if close else ""
    return f"missing required property {brief(missing, _VALUE)}{hint}"


def _unexpected(error: Error, references: References) -> str:
    names = [str(name) for name in error.kind.as_dict()["unexpected"]]
    known = _properties(error, references)
    said = []
    for name in names[:3]:
        close = nearest(name, known, 1)
        hint = f" (did you mean {brief(close[0], _VALUE)}?)" if close else ""
        said.append(f"unexpected property {brief(name, _VALUE)}{hint}")
    return ", ".join(said)


def _properties(error: Error, references: References) -> list[str]:
    """The properties that the schema knows at the place of the error."""
    here: Json = references.root
    for step in error.evaluation_path[:-1]:
        if isinstance(here, dict):
            here = here.get(str(step))
            if step == "$ref" and isinstance(here, str):
                here = references.find(here)
        elif isinstance(here, list) and isinstance(step, int) and step < len(here):
            here = here[step]
    known = here.get("properties") if isinstance(here, dict) else None
    return [str(name) for name in known] if isinstance(known, dict) else []


def _type(error: Error) -> str:
    return f"must be {' or '.join(error.kind.as_dict()['types'])}"


def _choice(error: Error) -> str:
    context = getattr(error.kind, "context", [])
    kinds: dict[str, None] = {}
    for branch in context:
        for inner in branch:
            if inner.kind.name == "type" and inner.instance_path == error.instance_path:
                kinds.update(dict.fromkeys(inner.kind.as_dict()["types"]))
    if any(not branch for branch in context):
        return "must fit only one of its alternatives"
    return f"must be {' or '.join(kinds)}" if kinds else "must fit one of its alternatives"


def _enum(error: Error) -> str:
    options = error.kind.as_dict()["options"]
    texts = [brief(option, _VALUE) for option in options]
    instance = error.instance
    if len(texts) > _OPTIONS and isinstance(instance, str):
        close = nearest(instance, [each for each in options if isinstance(each, str)])
        if close:
            return f"must be one of {len(texts)} values, such as {', '.join(map(repr, close))}"
    more = ", …" if len(texts) > _OPTIONS else ""
    return f"must be one of {', '.join(texts[:_OPTIONS])}{more}"


def _bound(words: str, key: str = "limit") -> Callable[[Error], str]:
    return lambda error: words.format(brief(error.kind.as_dict()[key], _VALUE))


def _otherwise(error: Error) -> str:
    return f"does not fit {brief(error.kind.name, _VALUE)}"


_WHOLE: dict[str, Callable[[Error, References], str]] = {
    "required": _required,
    "additionalProperties": _unexpected,
    "unevaluatedProperties": _unexpected,
}
_VALUES: dict[str, Callable[[Error], str]] = {
    "type": _type,
    "anyOf": _choice,
    "oneOf": _choice,
    "enum": _enum,
    "const": _bound("must be {}", "expected_value"),
    "minimum": _bound("must be at least {}"),
    "maximum": _bound("must be at most {}"),
    "exclusiveMinimum": _bound("must be more than {}"),
    "exclusiveMaximum": _bound("must be less than {}"),
    "multipleOf": _bound("must be a multiple of {}", "multiple_of"),
    "minLength": _bound("must have at least {} characters"),
    "maxLength": _bound("must have at most {} characters"),
    "minItems": _bound("must have at least {} items"),
    "maxItems": _bound("must have at most {} items"),
    "minProperties": _bound("must have at least {} properties"),
    "maxProperties": _bound("must have at most {} properties"),
    "pattern": _bound("must match the pattern {}", "pattern"),
    "uniqueItems": lambda error: "must have no item twice",
    "falseSchema": lambda error: "must be left out",
}
