"""A setting is declared once, in the annotation of its field; everything else is made from that.

    port: Annotated[int, Setting("The server", "N", "Port to listen on.", at_most=65_535)] = 8700

From this line come the flag `--port`, the variable `CODERELAY_PORT`, the key `port` of the
configuration file, the check of its value, and its row in the documentation. The reasons are in
docs/design/settings.md.
"""

import math
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import MISSING, Field, dataclass, fields
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from coderelay.core import RequestError
from coderelay.core.alternatives import alternatives

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

PREFIX = "CODERELAY_"
"""What the names of all environment variables begin with."""
_QUOTED = 100
"""How many characters of a wrong value an error message quotes."""
_KINDS = {int: "a whole number", float: "a number", str: "text", tuple: "a list of texts"}


class InvalidSetting(RequestError):
    """A setting cannot be used. The message says which, where it was given and what is expected."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What is declared about a setting, besides the name, the type and the default of its field.

    The field is an `int`, a `float`, a `str`, a `Literal` of texts or a `tuple[str, ...]`, and may
    be None.
    """

    group: str
    """The heading under which help and documentation list it."""
    metavar: str
    """What stands for the value in the help, such as `URL`."""
    help: str
    """Whole sentences, without markup: help, documentation and example file all show them. The
    texts that are allowed are added to the last one."""
    more: str = ""
    """Markdown for the documentation only, such as a link."""
    at_least: float | None = None
    at_most: float | None = None
    unit: int = 1
    """The field has its value in bytes; flags, variables and files give it in this unit."""
    choices: Collection[str] = ()
    """The texts that are allowed, where the field's type does not name them."""
    check: Callable[[str], None] | None = None
    """Raises `ValueError` with what a text, or each text of a list, must be."""
    secret: bool = False
    """Its value is never shown."""
    flag: str = ""
    """The flag, where it is not the name with dashes."""
    aliases: tuple[str, ...] = ()
    """Further flags, such as a former name."""
    variables: tuple[str, ...] = ()
    """Further environment variables, which other programs read too. They are looked at last."""
    default: str = ""
    """The default in words, where it is not a value."""
    example: object = None
    """A value for the example file, where there is no default."""


class SettingsTable:
    """Declares settings of a field that is a dataclass itself: a table of the configuration file.

    Their flags and variables do not name the table, so no name may occur in two tables.
    """

    def __init__(self, **settings: Setting) -> None:
        self.settings = settings


@dataclass(frozen=True, slots=True)
class DeclaredSetting:
    """A setting with all that is known about it."""

    name: str
    table: str
    """The table of the configuration file that has its key; empty for the top."""
    kind: type
    """`int`, `float`, `str`, or `tuple` for a list of texts."""
    choices: Collection[str]
    required: bool
    optional: bool
    """Whether it may be None; empty text stands for that."""
    default: object
    about: Setting

    @property
    def key(self) -> str:
        """Its place in the configuration file, such as `limits.fuel`."""
        return f"{self.table}.{self.name}" if self.table else self.name

    @property
    def flags(self) -> tuple[str, ...]:
        """Its flag, then the aliases."""
        return (self.about.flag or f"--{self.name.replace('_', '-')}", *self.about.aliases)

    @property
    def variables(self) -> tuple[str, ...]:
        """Its environment variables: our own, then those that other programs read too."""
        return (PREFIX + self.name.upper(), *self.about.variables)

    @property
    def help(self) -> str:
        """What it does and, if only some texts are allowed, which."""
        text = self.about.help
        return f"{text.removesuffix('.')}: {self.expected}." if self.choices else text

    @property
    def expected(self) -> str:
        """What its value must be, in words."""
        if self.choices:
            return alternatives(self.choices)
        text = _KINDS[self.kind]
        if self.about.unit != 1:
            text += f" of {self.about.metavar}"
        match self.about.at_least, self.about.at_most:
            case None, None:
                return text
            case low, None:
                return f"{text}, at least {low}"
            case None, high:
                return f"{text}, at most {high}"
            case low, high:
                return f"{text} from {low} to {high}"

    def from_text(self, text: str) -> object:
        """The text of a flag or a variable in the type that a file would give it in. Text that
        cannot be converted stays as it is, so that `accept` refuses it."""
        if self.kind is tuple:
            return text.split()
        if self.kind is str:
            return text
        try:
            return self.kind(text)
        except ValueError:
            return text

    def accept(self, written: object) -> object:
        """The field's value for what was written. Raises `ValueError` with what it must be."""
        if isinstance(written, list) and all(isinstance(each, str) for each in written):
            written = tuple(written)
        if self.optional and written == "":
            return None
        if self.kind is float and type(written) is int:
            with suppress(OverflowError):  # then it stays an int, and is refused
                written = float(written)
        if type(written) is not self.kind:  # not isinstance: True is an int in Python
            raise ValueError(self._wrong(written))
        value = written * self.about.unit if isinstance(written, int) else written
        self.check(value)
        return value

    def check(self, value: object) -> None:
        """Raise `ValueError` if the field cannot have this value."""
        if value is None:
            return
        if isinstance(value, int | float):
            low, high = self.about.at_least, self.about.at_most
            too_low, too_high = low is not None and value < low, high is not None and value > high
            endless = isinstance(value, float) and not math.isfinite(value)
            if too_low or too_high or endless:
                raise ValueError(self._wrong(self.written(value)))
        if self.choices and value not in self.choices:
            raise ValueError(self._wrong(value))
        if self.about.check:
            for text in value if isinstance(value, tuple) else (value,):
                self.about.check(text)

    def written(self, value: object) -> object:
        """The field's value as a file would have it: the reverse of `accept`."""
        if isinstance(value, tuple):
            return list(value)
        return value // self.about.unit if isinstance(value, int) else value

    def _wrong(self, value: object) -> str:
        actual = "" if self.about.secret else f", not {quoted(value)}"
        return f"must be {self.expected}{actual}"


def quoted(value: object) -> str:
    """A wrong value for an error message, cut where it is long."""
    text = repr(value)
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}…"


def declared(kind: "type[DataclassInstance]") -> tuple[DeclaredSetting, ...]:
    """The settings that the fields of a dataclass declare, in order. Those in tables come last, as
    in a TOML file."""
    hints = get_type_hints(kind, include_extras=True)
    found: list[DeclaredSetting] = []
    for field in fields(kind):
        for about in getattr(hints[field.name], "__metadata__", ()):
            if isinstance(about, Setting):
                found.append(_declared(field.name, hints[field.name], about, _default(field)))
            elif isinstance(about, SettingsTable):
                found += _table(field, hints[field.name], about)
    return tuple(sorted(found, key=lambda each: bool(each.table)))


def check(settings: "DataclassInstance") -> None:
    """Raise `InvalidSetting` if a field has a value that its setting cannot have."""
    for each in declared(type(settings)):
        holder = getattr(settings, each.table) if each.table else settings
        try:
            each.check(getattr(holder, each.name))
        except ValueError as error:
            raise InvalidSetting(f"{each.key} {error}") from None


def _table(field: "Field[Any]", hint: Any, table: SettingsTable) -> list[DeclaredSetting]:
    hints = get_type_hints(get_args(hint)[0])
    return [
        _declared(name, hints[name], about, getattr(field.default, name), field.name)
        for name, about in table.settings.items()
    ]


def _default(field: "Field[Any]") -> object:
    return field.default_factory() if callable(field.default_factory) else field.default


def _declared(
    name: str, hint: Any, about: Setting, default: object, table: str = ""
) -> DeclaredSetting:
    """`hint` is the field's type, maybe annotated and maybe with None."""
    hint = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    types = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    (value_type,) = (each for each in types if each is not NoneType)
    choices = get_args(value_type) if get_origin(value_type) is Literal else ()
    return DeclaredSetting(
        name=name,
        table=table,
        kind=str if choices else get_origin(value_type) or value_type,
        choices=about.choices or choices,
        required=default is MISSING,
        optional=NoneType in types,
        default=None if default is MISSING else default,
        about=about,
    )
