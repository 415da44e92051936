"""A name means one thing: whoever searches for it finds one place."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "coderelay"
FAMILIES = ("dialects", "engines", "languages")
"""The packages in these folders do the same for different APIs and languages, so that modules
with the same name do the same job there."""
APART = ("examples", "session/inside", "engines/scripted.py", "models/scripted.py")
"""Samples for users, files that run in the guest, and old names that are kept for a release."""


def modules() -> list[Path]:
    """Every module of the package, relative to it."""
    found = (path.relative_to(SOURCE) for path in sorted(SOURCE.rglob("*.py")))
    return [
        path
        for path in found
        if not path.as_posix().startswith(APART)
        and not any(part.startswith((".", "__")) for part in path.parts)
    ]


def group(path: Path) -> str:
    """The family that a module belongs to, or its own path where it belongs to none."""
    in_family = len(path.parts) == 3 and path.parts[0] in FAMILIES
    return path.parts[0] if in_family else path.as_posix()


def test_no_two_modules_have_the_same_name() -> None:
    places = defaultdict[str, set[str]](set)
    for path in modules():
        places[path.stem].add(group(path))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_two_classes_have_the_same_name_private_or_not() -> None:
    places = defaultdict[str, list[str]](list)
    for path in modules():
        for node in ast.parse((SOURCE / path).read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef):
                places[node.name.lstrip("_")].append(path.as_posix())
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


VAGUE = frozenset(
    "said told kept shown given asked heard spoke spoken wanted meant owed recalled misfit "
    "gone".split()
)
"""Words that say that something was done to a value, but not what the value is."""
OURS = ("src", "guests", "bench", "clients")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_JAVASCRIPT_TEXT = re.compile(
    r"//.*|/\*.*?\*/|'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"", re.DOTALL
)
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")


def identifiers(path: Path) -> Iterator[str]:
    """Every identifier in a file, without comments and texts."""
    if path.suffix == ".py":
        for node in ast.walk(ast.parse(path.read_bytes())):
            for field in ("id", "attr", "arg", "name", "asname", "rest"):
                if isinstance(name := getattr(node, field, None), str):
                    yield name
        return
    source = path.read_text("utf-8")
    parts = _JAVASCRIPT_TEXT.sub(" ", source).split("`")
    for place, part in enumerate(parts):
        for code in _PLACEHOLDER.findall(part) if place % 2 else (part,):
            yield from _NAME.findall(code)


def vague(path: Path) -> set[str]:
    """The identifiers of a file that have a vague word in them."""
    return {
        name
        for name in (path.stem, *identifiers(path))
        if not VAGUE.isdisjoint(word.lower() for word in _WORD.findall(name))
    }


@pytest.mark.parametrize("folder", OURS)
def test_no_identifier_has_a_word_that_does_not_say_what_it_is(folder: str) -> None:
    files = (
        path
        for suffix in ("py", "js", "mjs")
        for path in sorted((ROOT / folder).rglob(f"*.{suffix}"))
        if not {"node_modules", "build", "guest"}.intersection(path.parts)
        and not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
    )
    found = {path.relative_to(ROOT).as_posix(): vague(path) for path in files}
    assert {file: names for file, names in found.items() if names} == {}


def test_vague_words_are_found_in_code_only(tmp_path: Path) -> None:
    python = tmp_path / "names.py"
    python.write_text("def said_twice(a): return f'{a.wasTold} asked'  # given")
    assert vague(python) == {"said_twice", "wasTold"}
    script = tmp_path / "names.js"
    script.write_text("const said = `told ${isShown} ` + 'asked'; // given")
    assert vague(script) == {"said", "isShown"}
