"""A name means one thing: whoever searches for it finds one place."""

import ast
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "coderelay"
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


def test_no_two_classes_have_the_same_name() -> None:
    places = defaultdict[str, list[str]](list)
    for path in modules():
        for node in ast.parse((SOURCE / path).read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(path.as_posix())
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
