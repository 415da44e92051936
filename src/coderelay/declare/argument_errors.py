"""Describes why arguments do not fit, so that the author of the program can correct them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from coderelay.core import Json
from coderelay.core.nearest_names import Nearest, nearest
from coderelay.languages.language import Wording
from coderelay.schemas.schema_notes import brief
from coderelay.schemas.validation import Error
from coderelay.schemas.validation.walk import Path, kind_of

_VALUE = 60
_OPTIONS = 10
_LOOKED_AT = 50
_NESTED = 8
_DESCRIBED = 20
_SUGGESTED = 100
"""Among how many of the passed properties a misspelt name is looked for."""


@dataclass(frozen=True, slots=True)
class ArgumentError:
    """One reason. `parameter` is the one that it is about, or None."""

    reason: str
    parameter: str | None
    passed: tuple[Path, str] | None = None
    """The path of an object and the name of its property, if the reason already mentions it."""


def type_and_text(value: Json) -> str:
    """The type of a value and its JSON text, shortened."""
    if value is None:
        return "null"
    kind = "integer" if type(value) is int else kind_of(value)
    return f"{kind} {brief(value, _VALUE)}"


class Describer:
    """Describes the errors of one schema. Its indices of names are made once."""

    def __init__(self, wording: Wording) -> None:
        self._wording = wording
        self._indices: dict[int, Nearest] = {}

    def reasons(self, errors: Iterable[Error], limit: int) -> list[ArgumentError]:
        """Up to `limit` reasons. Their order depends only on the arguments."""
        found: list[Error] = []
        for error in islice(errors, _LOOKED_AT):
            found.extend(_inner(error))
        described: dict[ArgumentError, None] = {}
        for error in sorted(found, key=_order)[:_DESCRIBED]:
            described[self._argument_error(error)] = None
            if len(described) > limit:
                break
        return without_repetition(described)[:limit]

    def unexpected(self, path: Sequence[str | int], name: str, known: Nearest) -> ArgumentError:
        """The reason for a property that is not declared, with the nearest name that is."""
        close = known.to(name, 1)
        hint = f" (did you mean {brief(close[0], _VALUE)}?)" if close else ""
        problem = f"unexpected {self._wording.property(path)} {brief(name, _VALUE)}{hint}"
        where = self._wording.place(path)
        reason = f"{where}: {problem}" if where else problem
        return ArgumentError(reason, str(path[0]) if path else None, (tuple(path), name))

    def _argument_error(self, error: Error) -> ArgumentError:
        path = error.path
        if error.word in ("additionalProperties", "unevaluatedProperties"):
            return self.unexpected(path, str(error.part), self._properties(error.schema))
        if error.word == "required":
            return self._missing(error)
        return ArgumentError(self._reason(error), str(path[0]) if path else None)

    def _reason(self, error: Error) -> str:
        where = self._wording.place(error.path)
        if error.word == "enum":
            requirement = self._enum(error)
        else:
            requirement = _VALUES.get(error.word, _otherwise)(error)
        return f"{where or 'the object'} {requirement}, got {type_and_text(error.value)}"

    def _missing(self, error: Error) -> ArgumentError:
        missing, path, where = str(error.part), error.path, self._wording.place(error.path)
        known = _mapping(error.schema, "properties")
        unknown = islice((name for name in error.value if name not in known), _SUGGESTED)
        close = nearest(missing, unknown, 1)
        hint = f" (you passed {brief(close[0], _VALUE)})" if close else ""
        problem = f"missing required {self._wording.property(path)} {brief(missing, _VALUE)}{hint}"
        reason = f"{where}: {problem}" if where else problem
        passed = (path, close[0]) if close else None
        return ArgumentError(reason, str(path[0]) if path else None, passed)

    def _enum(self, error: Error) -> str:
        options, more = error.keyword_value, ""
        if len(options) > _OPTIONS:
            more = ", …"
            if isinstance(error.value, str):
                texts = (each for each in options if isinstance(each, str))
                close = self._index(options, texts).to(error.value)
                if close:
                    some = ", ".join(brief(each, _VALUE) for each in close)
                    return f"must be one of {len(options)} values, such as {some}"
        return (
            f"must be one of {', '.join(brief(each, _VALUE) for each in options[:_OPTIONS])}{more}"
        )

    def _properties(self, schema: Mapping[str, Json]) -> Nearest:
        known = _mapping(schema, "properties")
        return self._index(known, known)

    def _index(self, part: Json, names: Iterable[str]) -> Nearest:
        """The index of the names in a part of the schema, made when it is first needed."""
        found = self._indices.get(id(part))
        if found is None:
            found = self._indices[id(part)] = Nearest(names)
        return found


def without_repetition(reasons: Iterable[ArgumentError]) -> list[ArgumentError]:
    """Each reason once; of several reasons about the same property only the first."""
    found: dict[object, ArgumentError] = {}
    for each in reasons:
        found.setdefault(each.passed or each.reason, each)
    return list(found.values())


def _order(error: Error) -> list[tuple[int, str]]:
    return [(step, "") if isinstance(step, int) else (-1, step) for step in error.path]


def _mapping(schema: Mapping[str, Json], word: str) -> Mapping[str, Json]:
    found = schema.get(word)
    return found if isinstance(found, dict) else _NOTHING


_NOTHING: Mapping[str, Json] = {}


def _inner(error: Error, depth: int = 0) -> list[Error]:
    """The errors to describe. Where no option of a choice fits, these are the errors of the option
    that was probably meant."""
    if error.word not in ("anyOf", "oneOf") or depth > _NESTED:
        return [error]
    candidates = [branch for branch in error.branches if branch and not _another(branch, error)]
    if not candidates or any(not branch for branch in error.branches):
        return [error]
    best = min(candidates, key=len)
    return [each for inner in best for each in _inner(inner, depth + 1)]


def _another(branch: Sequence[Error], choice: Error) -> bool:
    """Whether an option was clearly not meant: its type differs, or the constant that marks it."""
    here = len(choice.path)
    return any(
        (error.word == "type" and len(error.path) <= here)
        or (error.word in ("const", "enum") and len(error.path) <= here + 1)
        for error in branch
    )


def _type(error: Error) -> str:
    return f"must be {' or '.join(_types(error))}"


def _types(error: Error) -> list[str]:
    named = error.keyword_value
    return named if isinstance(named, list) else [str(named)]


def _choice(error: Error) -> str:
    if any(not branch for branch in error.branches):
        return "must fit only one of its alternatives"
    kinds: dict[str, None] = {}
    for branch in error.branches:
        for inner in branch:
            if inner.word == "type" and inner.path == error.path:
                kinds.update(dict.fromkeys(_types(inner)))
    return f"must be {' or '.join(kinds)}" if kinds else "must fit one of its alternatives"


def _bound(words: str) -> Callable[[Error], str]:
    return lambda error: words.format(brief(error.keyword_value, _VALUE))


def _exclusive(words: str, exclusive: str) -> Callable[[Error], str]:
    """In draft 4 a flag beside the bound says whether the bound itself is allowed."""
    return lambda error: (exclusive if error.value == error.keyword_value else words).format(
        brief(error.keyword_value, _VALUE)
    )


def _otherwise(error: Error) -> str:
    return f"does not fit {brief(error.word, _VALUE)}"


_VALUES: dict[str, Callable[[Error], str]] = {
    "type": _type,
    "anyOf": _choice,
    "oneOf": _choice,
    "const": _bound("must be {}"),
    "minimum": _exclusive("must be at least {}", "must be more than {}"),
    "maximum": _exclusive("must be at most {}", "must be less than {}"),
    "exclusiveMinimum": _bound("must be more than {}"),
    "exclusiveMaximum": _bound("must be less than {}"),
    "multipleOf": _bound("must be a multiple of {}"),
    "minLength": _bound("must have at least {} characters"),
    "maxLength": _bound("must have at most {} characters"),
    "minItems": _bound("must have at least {} items"),
    "maxItems": _bound("must have at most {} items"),
    "minProperties": _bound("must have at least {} properties"),
    "maxProperties": _bound("must have at most {} properties"),
    "pattern": _bound("must match the pattern {}"),
    "propertyNames": lambda error: f"must have no property of the name {brief(error.part, _VALUE)}",
    "uniqueItems": lambda error: "must have no item twice",
    "falseSchema": lambda error: "must be left out",
}
