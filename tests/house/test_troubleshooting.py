"""The page of errors names every error that somebody can meet."""

import ast
import importlib
import pkgutil
import re
import shlex
from collections.abc import Iterator
from dataclasses import fields
from typing import get_args

import pytest
from typer.testing import CliRunner

import coderelay
from coderelay import CoderelayError, Limits
from coderelay.cli.commands import app
from coderelay.cli.exit_codes import ExitCode
from coderelay.core.outcome import FailureKind
from coderelay.dialects.anthropic import error_shape
from coderelay.dialects.kit import error_table
from coderelay.engines.python.live.session_limits import LiveLimits
from coderelay.server.refusals import ClientDisconnected, RequestRefused
from tests.house.documents import ENVIRONMENT, ROOT, code, table

PAGE = ROOT / "docs" / "troubleshooting.md"
NAMED = frozenset(re.findall(r"`([^`\n]+)`", PAGE.read_text("utf-8")))
"""All code on the page."""


def kinds_of(base: type[CoderelayError]) -> Iterator[type[CoderelayError]]:
    for kind in base.__subclasses__():
        if kind.__module__.startswith("coderelay."):
            yield kind
            yield from kinds_of(kind)


def all_errors() -> set[str]:
    for module in pkgutil.walk_packages(coderelay.__path__, "coderelay."):
        if not module.name.startswith(("coderelay.examples", "coderelay.session.inside")) and (
            not module.name.endswith("__main__")
        ):
            importlib.import_module(module.name)
    # nobody is left to be told that the client is gone
    return {kind.__name__ for kind in kinds_of(CoderelayError) if kind is not ClientDisconnected}


def test_every_exception_is_named() -> None:
    assert all_errors() <= NAMED


def test_every_code_and_type_on_the_wire_is_named() -> None:
    refusals = {kind for kind in kinds_of(CoderelayError) if issubclass(kind, RequestRefused)}
    codes = {kind.code for kind in refusals if kind.code} | {kind.kind for kind in refusals}
    types = {type for _, _, type in error_table._TABLE}
    details = error_shape.ThreadUnsupported.details["error_code"]
    assert codes | types | set(error_shape._TYPES.values()) | {details} <= NAMED


def test_every_kind_of_failure_and_every_limit_is_named() -> None:
    limits = {field.name for kind in (Limits, LiveLimits) for field in fields(kind)}
    assert set(get_args(FailureKind)) | limits <= NAMED


@pytest.mark.parametrize("code", ExitCode)
def test_every_exit_code_is_explained(code: ExitCode) -> None:
    assert str(code.value) in {row[0] for row in table(PAGE, "exit code", "meaning")}


def texts_in(node: ast.AST) -> Iterator[str]:
    """The strings of a module; what an f-string fills in is a `…`."""
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value
        elif isinstance(part, ast.JoinedStr):
            yield "".join(
                str(piece.value) if isinstance(piece, ast.Constant) else "…"
                for piece in part.values
            )


def all_texts() -> str:
    """Every text that the package, or what runs in its sandboxes, may say."""
    places = [*ROOT.glob("src/coderelay/**/*.py"), *ROOT.glob("guests/python/relay/*.py")]
    python = [text for path in places for text in texts_in(ast.parse(path.read_text("utf-8")))]
    scripts = ROOT.glob("guests/typescript/harness/*.js")
    return "\n".join([*python, *(path.read_text("utf-8") for path in scripts)])


def quoted_messages() -> Iterator[str]:
    """The messages in the tables of the page that have a column for them."""
    columns: list[str] = []
    for line in PAGE.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if not cells:
            columns = []
        elif not columns:
            columns = cells
        elif "message" in columns:
            quoted = re.findall(r"`([^`\n]+)`", cells[columns.index("message")])
            yield from (each for each in quoted if each.count(" ") >= 2)


def test_every_message_on_the_page_is_one_that_the_code_has() -> None:
    texts = all_texts()
    stale = [
        message
        for message in quoted_messages()
        if not all(part.strip(" :,;") in texts for part in message.split("…"))
    ]
    assert not stale, f"change these in docs/troubleshooting.md, no code says them: {stale}"


PARTS_OF_MESSAGES = frozenset({"reason", "problem"})
"""Variables that hold the words of an error until it is raised."""
NOT_FOR_USERS = frozenset(
    {
        "module 'coderelay' has no attribute …",  # as Python says it
        "the live run never came to … answers",  # from here on: a bug of ours, not of a user
        "Turn.…() was called out of order: the turn expects …",
        "imports.json has an unknown type: …",
        "the list has … items, the limit is …",
        "… bytes at … are not in the guest's memory",
    }
)


def template(node: ast.expr) -> str:
    """A text in the code with a `…` for everything that is filled in; empty if it is no text."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            template(part) if isinstance(part, ast.Constant) else "…" for part in node.values
        )
    return ""


def error_messages(tree: ast.AST, errors: set[str]) -> Iterator[str]:
    """The texts in a module that are arguments of an error, or are kept to become one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            yield from map(template, node.exc.args)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in errors:
            yield from map(template, node.args)
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in PARTS_OF_MESSAGES:
            yield template(node.value)


def word_count(text: str) -> int:
    return len(re.findall(r"[a-z][a-z']*", text.replace("…", " ")))


def explains(quoted: str, message: str) -> bool:
    """Whether a quotation on the page is this message, or what does not vary in it. A quotation of
    up to three words must be the whole message."""
    parts = (re.escape(part.strip(" :,;")) for part in quoted.split("…"))
    find = re.search if word_count(quoted) > 3 else re.fullmatch
    return find(".*?".join(parts), message.strip(" :,;"), re.DOTALL) is not None


def test_every_error_that_the_code_raises_is_on_the_page() -> None:
    codes = re.findall(r"``.+?``|`[^`\n]+`", PAGE.read_text("utf-8"))
    quoted = [each.strip("` ") for each in codes if word_count(each) > 1]
    places = ROOT.glob("src/coderelay/**/*.py")
    trees = [ast.parse(path.read_text("utf-8")) for path in places if "examples" not in path.parts]
    errors = all_errors()
    messages = {
        message
        for tree in trees
        for message in error_messages(tree, errors)
        if word_count(message) > 3
    }
    missing = [
        message
        for message in sorted(messages - NOT_FOR_USERS)
        if not any(explains(each, message) for each in quoted)
    ]
    assert not missing, f"explain these in docs/troubleshooting.md: {missing}"


@pytest.mark.parametrize("row", table(PAGE, "what it says", "example"))
def test_the_parser_of_the_command_line_says_this(row: list[str]) -> None:
    program, *arguments = shlex.split(code(row[1]))
    assert program == "coderelay"
    done = CliRunner().invoke(app, arguments, env=ENVIRONMENT)
    assert done.exit_code == ExitCode.USAGE
    assert code(row[0]) in done.output
