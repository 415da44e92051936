"""A journal is read strictly, and written as it is read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderelay.core import CallError, Entry, InvalidJournal, Json, Raised, Returned
from coderelay.wire import journal_from_json, journal_to_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
RESULTS = st.builds(Returned, VALUES) | st.builds(
    Raised, st.builds(CallError, message=st.text(), name=st.text())
)
JOURNALS = st.lists(st.builds(Entry, st.text(), VALUES, RESULTS)).map(tuple)


@given(JOURNALS)
def test_what_is_written_is_what_is_read(journal: tuple[Entry, ...]) -> None:
    assert journal_from_json(journal_to_json(journal)) == journal


def test_the_documented_form_is_understood() -> None:
    assert journal_from_json(
        [
            {"name": "web_search", "arguments": {"query": "a"}, "value": []},
            {"name": "web_search", "arguments": {}, "error": {"name": "Oops", "message": "no"}},
        ]
    ) == (
        Entry("web_search", {"query": "a"}, Returned([])),
        Entry("web_search", {}, Raised(CallError("no", "Oops"))),
    )


def test_an_error_without_a_name_is_a_tool_error() -> None:
    (entry,) = journal_from_json([{"name": "f", "arguments": {}, "error": {"message": "no"}}])
    assert entry.result == Raised(CallError("no", "ToolError"))


def _deep(levels: int) -> Json:
    value: Json = None
    for _ in range(levels):
        value = [value]
    return value


GOOD = {"name": "f", "arguments": {}, "value": 1}


@pytest.mark.parametrize(
    ("journal", "message"),
    [
        ({}, "a journal is a list of answered calls, not an object"),
        ([GOOD, "f"], "entry 1 of the journal is a string, not an object"),
        ([{"arguments": {}, "value": 1}], "entry 0 of the journal has no 'name'"),
        ([GOOD | {"name": 3}], "'name' of entry 0 of the journal is a number"),
        ([{"name": "f", "value": 1}], "entry 0 of the journal has no 'arguments'"),
        ([{"name": "f", "arguments": {}}], "entry 0 of the journal needs either 'value' or"),
        ([GOOD | {"error": {"message": ""}}], "needs either 'value' or 'error', and not both"),
        ([GOOD | {"index": 0}], "entry 0 of the journal has the unknown field 'index'"),
        ([{"name": "f", "arguments": {}, "error": "no"}], "'error' of entry 0 of the journal is a"),
        (
            [{"name": "f", "arguments": {}, "error": {"name": "E"}}],
            "'error' of entry 0 of the journal has no 'message'",
        ),
        (
            [{"name": "f", "arguments": {}, "error": {"message": True}}],
            "'message' of 'error' of entry 0 of the journal is a boolean",
        ),
        ([GOOD | {"value": _deep(300)}], "'value' of entry 0 of the journal is nested more than"),
        ([GOOD | {"arguments": _deep(300)}], "'arguments' of entry 0 of the journal is nested"),
    ],
)
def test_an_invalid_journal_is_refused_with_entry_and_field(journal: Json, message: str) -> None:
    with pytest.raises(InvalidJournal) as raised:
        journal_from_json(journal)
    assert message in str(raised.value)
