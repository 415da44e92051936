"""Settings as text: what is in force, an example of a configuration file, the documentation."""

import json
import textwrap
from collections.abc import Iterable, Sequence
from itertools import groupby

from coderelay.server.declared_settings import DeclaredSetting
from coderelay.server.setting_sources import SettingInForce

_UNITS = {"KB": "KB", "MB": "MB", "SECONDS": "seconds"}
"""The units that a metavar names."""
_COLUMN = 40
"""Where the origin of a value begins."""


def in_force(entries: Sequence[SettingInForce]) -> str:
    """A configuration file with the values in force, and beside each where it comes from.

    What cannot be a value of a file is in a comment: a value that is not set, and a secret, whose
    mask would otherwise be taken for it.
    """
    lines = []
    for table, members in groupby(entries, key=lambda entry: entry.declared.table):
        if table:
            lines += ["", f"[{table}]"]
        lines += [_line(entry) for entry in members]
    return "\n".join(lines) + "\n"


def example_file(settings: Sequence[DeclaredSetting]) -> str:
    """A configuration file in which every key stands with its default, all in comments."""
    lines = [
        "# A configuration file for `coderelay serve --config FILE`, with every key.",
        "# Each is in a comment, with its default or, where that is not a value, with an example.",
        "# A flag, or else an environment variable, goes before this file.",
    ]
    for table, members in groupby(settings, key=lambda each: each.table):
        if table:
            lines += ["", f"[{table}]"]
        for group, named in groupby(members, key=lambda each: each.about.group):
            lines += ["", f"## {group}"]
            for each in named:
                lines += ["", *_explained(each)]
    return "\n".join(lines) + "\n"


def documentation(settings: Sequence[DeclaredSetting]) -> str:
    """The tables of the documentation, in Markdown, one for each group."""
    lines = []
    for group, members in groupby(settings, key=lambda each: each.about.group):
        lines += [f"### {group}", ""]
        lines += [
            "| key in the file | flag | environment | default | what |",
            "|---|---|---|---|---|",
        ]
        lines += [_row(each) for each in members]
        lines.append("")
    return "\n".join(lines) + "\n"


def explanation(setting: DeclaredSetting) -> str:
    """The help of a setting, with how to give several values."""
    if setting.kind is not tuple:
        return setting.help
    return f"{setting.help} Repeat the flag for several; in the environment, use spaces."


def default_text(setting: DeclaredSetting) -> str:
    """The default as text; empty where there is none."""
    if setting.about.default or setting.required:
        return setting.about.default
    value = setting.written(setting.default)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _row(setting: DeclaredSetting) -> str:
    cells = (
        _codes([setting.key]),
        _codes(setting.flags),
        _codes(setting.variables),
        _documented_default(setting),
        " ".join(filter(None, (explanation(setting), setting.about.more))),
    )
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _documented_default(setting: DeclaredSetting) -> str:
    if setting.required:
        return "required"
    unit = _UNITS.get(setting.about.metavar, "")
    if setting.about.default:
        return f"{setting.about.default}{unit and f'; given in {unit}'}"
    return f"{default_text(setting)} {unit}".rstrip()


def _explained(setting: DeclaredSetting) -> list[str]:
    unit = _UNITS.get(setting.about.metavar)
    words = setting.about.default
    text = [
        setting.help,
        f"In {unit}." if unit else "",
        "Required." if setting.required else f"Default: {words}." if words else "",
    ]
    value = setting.about.example if setting.required or words else setting.written(setting.default)
    return [
        *textwrap.wrap(
            " ".join(filter(None, text)), 100, initial_indent="# ", subsequent_indent="# "
        ),
        f"#{setting.name} = {_toml(value)}",
    ]


def _line(entry: SettingInForce) -> str:
    if entry.missing:
        return f"# {entry.declared.name} is missing: it must be given"
    origin = "".join(letter if letter.isprintable() else "?" for letter in entry.origin)
    return f"{_value(entry):<{_COLUMN}}  # {origin}"


def _value(entry: SettingInForce) -> str:
    setting = entry.declared
    if entry.value is None or entry.value == ():
        return f"# {setting.name}: {setting.about.default}"
    if setting.about.secret:
        return f"# {setting.name} is set, and not shown"
    return f"{setting.name} = {_toml(setting.written(entry.value))}"


def _toml(value: object) -> str:
    # numbers, texts and lists of texts are the same in JSON, but for one character
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
