"""No regular expression comes in unnoticed: each is measured, or sees only short or trusted text.

A regular expression can take time that grows with the square of its text, or faster, while it
holds the interpreter's lock. So for each in the package this module says which case of
`tests/attacks/costs` drives it with its worst text, or why it needs none. A new one:

1. Give it a name at the top level of its module.
2. Write down its worst text. Anything with two repetitions that can match the same letters, or one
   that is tried again from each letter, is worth a second look; possessive repetitions (`++`) and
   a look behind help.
3. Add it to `MEASURED` with the place in the table of docs/security.md that uses it, or to
   `BOUNDED` with the reason.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attacks.costs.table import CASES

PACKAGE = Path(__file__).parents[2] / "src" / "coderelay"
PLACES = {case.place for case in CASES}

NAMESPACES = "engines.typescript.namespaces.join_namespaces"
READ_JSON = "core.json_reader.read_json"
FAILURE = "engines.typescript.failure_report.Thrown.failure"
SHAPE = "engines.typescript.forms.shape"

MEASURED = {
    "conversation.call_ids._LATER": "conversation.call_ids.decode",
    "conversation.outcome_text._HEAD": "conversation.outcome_text.outcome_from_text",
    "conversation.state_text._TEXT": "conversation.call_ids.decode",
    "core.json_counts._STRINGS": READ_JSON,
    "core.json_counts._WHOLE_STRINGS": READ_JSON,
    "core.json_pieces._ITEMS_ONLY": READ_JSON,
    "core.json_pieces._ITEMS_OR_NESTED": READ_JSON,
    "core.json_pieces._SPACE": READ_JSON,
    "core.json_counts._INSIDE": READ_JSON,
    "core.unicode.group": "core.unicode.normalize",
    "declare.tool_index._SENTENCE": "declare.tool_index.first_sentence",
    "schemas.validation.regex_size._TOKEN": "schemas.validation.regex_size.measure",
    "languages.naming._HUMP": "languages.naming.split_words",
    "declare.search_terms._RUN": "declare.search_terms.Terms.of",
    "languages.naming._SEPARATORS": "languages.naming.split_words",
    "declare.search_terms._UNSPACED": "declare.search_terms.Terms.of",
    "engines.typescript.callsite._IMPLICIT": FAILURE,
    "engines.typescript.callsite._ITERATED": FAILURE,
    "engines.typescript.callsite._NO_CALL": FAILURE,
    "engines.typescript.callsite._READ": FAILURE,
    "engines.typescript.enums._CONST_ENUM": "engines.typescript.enums.const_enums_left",
    "engines.typescript.failure_report._UNDEFINED": FAILURE,
    "engines.typescript.forms._MENTIONS": SHAPE,
    "engines.typescript.forms._PLAIN_MAIN": SHAPE,
    "engines.typescript.locate._CALL": FAILURE,
    "engines.typescript.misuse._MISUSE": FAILURE,
    "engines.typescript.namespaces._KEYWORD": NAMESPACES,
    "engines.typescript.stack._FRAME": "engines.typescript.stack.frames",
    "engines.typescript.syntax._WORD": FAILURE,
    "engines.typescript.tokens._REGEX": SHAPE,
    "engines.wasm.payload._SHORT_ASCII_NUMBERS": "engines.wasm.payload.has_long_integer",
    "engines.wasm.payload._SHORT_NUMBERS": "engines.wasm.payload.has_long_integer",
    "engines.typescript.tokens._TEMPLATE": SHAPE,
    "engines.typescript.tokens._TOKEN": SHAPE,
    "gateway.program_in_text._CALL": "gateway.program_in_text.ProgramInText.calls",
    "gateway.program_in_text._CALLED": "gateway.program_in_text.ProgramInText.program",
    "gateway.program_in_text._XML": "gateway.program_in_text.ProgramInText.calls",
    "models.server_sent_events._FIELD": "models.server_sent_events.WholeEvents.feed",
    "models.redaction._ESCAPES": "models.redaction.scrub",
}
"""The place in the table of costs whose cases drive a regular expression."""

BOUNDED = {
    "conversation.call_ids._PLAIN": "matches 64 characters at most",
    "conversation.old_state._BLOCK_ID": "each part has a largest length",
    "conversation.old_state._FINGERPRINT": "each part has a largest length",
    "conversation.program_state._DIGEST": "matches 16 characters",
    "declare.tool_index._NAMESPACE": "sees a tool's name, 256 characters at most",
    "languages.typescript.declarations._PLAIN_KEY": "one repetition, matched once from the start",
    "schemas.validation.regex_size._COUNT": "matches 21 characters at most",
    "dialects.anthropic.tools._VERSION": "matches 24 characters",
    "engines.python.instance_restorer.finditer": "sees a map of pages that the host made",
    "engines.python.failure_report._UNKNOWN": "sees 10,000 characters; quotes part its repetitions",
    "engines.typescript.swc._HASH": "sees the names of our own stripper's imports",
    "models.passthrough._NO_NAME": "matches one character",
    "models.passthrough._NO_VALUE": "matches one character",
    "server.exchange._REQUEST_ID": "matches 64 characters at most",
    "session.tool_is_code._NAME": "matches 64 characters at most",
}
"""Why a regular expression cannot cost much whatever it sees."""


def regexes() -> Iterator[str]:
    """Every use of `re` that makes or runs a pattern, by its module and the name it is given."""
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        names = {
            call: target.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and isinstance(target := node.targets[0], ast.Name)
            for call in ast.walk(node.value)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and (used := _function_of_re(node)) is not None:
                yield f"{module}.{names.get(node, used)}"


def _function_of_re(call: ast.Call) -> str | None:
    function = call.func
    if not (isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)):
        return None
    if function.value.id != "re" or function.attr == "escape":
        return None
    return function.attr


def test_every_regular_expression_is_measured_or_bounded() -> None:
    assert sorted(set(regexes())) == sorted({*MEASURED, *BOUNDED})


def test_no_regular_expression_is_in_both_tables() -> None:
    assert MEASURED.keys() & BOUNDED.keys() == set()


@pytest.mark.parametrize("place", sorted(set(MEASURED.values())))
def test_a_place_that_drives_a_regular_expression_is_in_the_table_of_costs(place: str) -> None:
    assert place in PLACES


def test_the_module_is_imported_by_its_own_name_alone() -> None:
    """Otherwise the list above would miss some."""
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text("utf-8")
        assert "from re import" not in text, path
        assert "import re as" not in text, path
        assert "import regex" not in text, path
