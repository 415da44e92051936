"""A flag goes before the environment, the environment before the file, the file before a default.

Variables that other programs read too, such as `OPENAI_API_KEY`, come after the file: a key of the
operator's shell must not replace the one that the file gives for its endpoint. A value replaces
the one of a later source; lists are not joined.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from coderelay.core.nearest_names import nearest
from coderelay.server.declared_settings import DeclaredSetting, InvalidSetting, declared

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

S = TypeVar("S", bound="DataclassInstance")

_FEW = 20
DEFAULT = "default"
"""The origin of a value that nobody gave."""


@dataclass(frozen=True, slots=True)
class SettingInForce:
    """A setting with its value, and the flag, the variable or the file that it comes from."""

    declared: DeclaredSetting
    value: object
    origin: str

    @property
    def missing(self) -> bool:
        """Whether it has to be given and was not."""
        return self.declared.required and self.origin == DEFAULT


@dataclass(frozen=True, slots=True)
class SettingsInForce(Generic[S]):
    """What flags, environment, file and defaults come to."""

    kind: type[S]
    entries: tuple[SettingInForce, ...]

    def build(self) -> S:
        """The settings. Raises `InvalidSetting` if one is missing."""
        values: dict[str, Any] = {}
        tables: dict[str, dict[str, Any]] = {}
        for entry in self.entries:
            each = entry.declared
            if entry.missing:
                raise InvalidSetting(
                    f"{each.key} is missing: give {each.flags[0]}, {' or '.join(each.variables)}, "
                    "or a configuration file with this key"
                )
            if entry.origin != DEFAULT:
                (tables.setdefault(each.table, {}) if each.table else values)[each.name] = (
                    entry.value
                )
        for name, nested in tables.items():
            default: Any = self.kind.__dataclass_fields__[name].default
            values[name] = replace(default, **nested)
        return self.kind(**values)


def resolve(
    kind: type[S],
    *,
    flags: Mapping[str, str | Sequence[str]],
    environment: Mapping[str, str],
    file: Path | None = None,
) -> SettingsInForce[S]:
    """The value of each setting, from the first source that has it. `flags` are the texts that were
    given, by the setting's name. Raises `InvalidSetting` for the first value that is not usable."""
    settings = declared(kind)
    written = read_config(file, settings) if file else {}
    return SettingsInForce(
        kind, tuple(_in_force(each, flags, environment, file, written) for each in settings)
    )


def read_config(path: Path, settings: Sequence[DeclaredSetting]) -> dict[str, object]:
    """What a configuration file has, by key (`limits.fuel`). Raises `InvalidSetting` for a file
    that is not TOML, or that has a key which no setting has."""
    try:
        content = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise InvalidSetting(
            f"cannot read the configuration file {path}: {error.strerror}"
        ) from error
    except UnicodeDecodeError as error:
        raise InvalidSetting(f"{path} is not UTF-8 text: byte {error.start}") from error
    except tomllib.TOMLDecodeError as error:
        raise InvalidSetting(f"{path} is not valid TOML: {error}") from error
    keys = {each.key for each in settings}
    tables = {each.table for each in settings if each.table}
    found: dict[str, object] = {}
    for key, value in _flattened(content, tables, path):
        if key not in keys:
            raise InvalidSetting(f"{path} has an unknown key {key!r}: {_suggestion(key, keys)}")
        found[key] = value
    return found


def _flattened(
    content: Mapping[str, object], tables: set[str], path: Path
) -> Iterator[tuple[str, object]]:
    for name, value in content.items():
        if name not in tables:
            yield name, value
        elif isinstance(value, dict):
            yield from ((f"{name}.{key}", item) for key, item in value.items())
        else:
            raise InvalidSetting(f"{name} in {path} must be a table: write [{name}] above its keys")


def _suggestion(key: str, known: set[str]) -> str:
    name = key.rpartition(".")[2]
    elsewhere = [each for each in sorted(known) if each.rpartition(".")[2] == name]
    like = elsewhere or _nearest_of_all(key, sorted(known))
    if not like:
        return "coderelay serve --print-config shows all keys"
    table, _, name = like[0].rpartition(".")
    return f"did you mean {name!r}{f' in the table [{table}]' if table else ''}?"


def _nearest_of_all(key: str, known: list[str]) -> list[str]:
    """Of many names, `nearest` compares only those that share pairs of letters, and `prot` has none
    in common with `port`. So the names are compared a few at a time, then the best of these."""
    few = (known[start : start + _FEW] for start in range(0, len(known), _FEW))
    return nearest(key, [best for names in few for best in nearest(key, names, count=1)], count=1)


def _in_force(
    setting: DeclaredSetting,
    flags: Mapping[str, str | Sequence[str]],
    environment: Mapping[str, str],
    file: Path | None,
    written: Mapping[str, object],
) -> SettingInForce:
    from_flag = flags.get(setting.name)
    if from_flag is not None:
        value = setting.from_text(from_flag) if isinstance(from_flag, str) else list(from_flag)
        return _accepted(setting, value, setting.flags[0], setting.flags[0])
    own, *shared = setting.variables
    if text := environment.get(own):  # a variable that is empty counts as not set
        return _accepted(setting, setting.from_text(text), own, own)
    if setting.key in written:
        where = f"{setting.key} in {file}"
        return _accepted(setting, written[setting.key], str(file), where)
    for variable in shared:
        if text := environment.get(variable):
            return _accepted(setting, setting.from_text(text), variable, variable)
    return SettingInForce(setting, setting.default, DEFAULT)


def _accepted(setting: DeclaredSetting, written: object, origin: str, where: str) -> SettingInForce:
    try:
        return SettingInForce(setting, setting.accept(written), origin)
    except ValueError as error:
        raise InvalidSetting(f"{where} {error}") from None
