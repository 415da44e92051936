"""Only a language's own packages name it. Everything else works with any language."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from coderelay.languages.language_registry import LANGUAGES

SOURCE = Path(__file__).parents[2] / "src" / "coderelay"
OWN = tuple(f"{folder}/{name}/" for folder in ("languages", "engines") for name in LANGUAGES)
ALLOWED = {
    "session": "its tool is a live Python interpreter",
    "examples": "samples for users, each in a language",
    "dialects/anthropic/code_execution.py": "the API itself says that its programs are Python",
    "dialects/code_endpoints.py": "examples in the documentation of the API hold programs",
}
NAME = re.compile(rf"\b(?:run_)?(?:{'|'.join(LANGUAGES)})\b")


def strings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The texts in a module that are not documentation, each with its line."""
    nodes = list(ast.walk(tree))
    documentation = [each.value for each in nodes if isinstance(each, ast.Expr)]
    for node in nodes:
        if isinstance(node, ast.Constant) and node not in documentation:
            yield node.lineno, str(node.value)


def test_no_other_module_has_a_text_that_names_a_language() -> None:
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if not name.startswith((*OWN, *ALLOWED)):
            tree = ast.parse(path.read_text("utf-8"))
            found += [f"{name}:{line}" for line, text in strings(tree) if NAME.search(text)]
    assert found == []
