"""Journals and outcomes as JSON.

A journal is a list of `{name, arguments, value}` or `{name, arguments, error}`. An outcome has its
status, the fields of that status, and the logs as text.
"""

import json
from typing import assert_never

from coderelay.core import (
    Call,
    CallError,
    Completed,
    Entry,
    Failed,
    Failure,
    InvalidJournal,
    Journal,
    Json,
    Outcome,
    Raised,
    Result,
    Returned,
    Suspended,
)
from coderelay.core.json_values import NotJson, check_depth, kind

_FIELDS = {"name", "arguments", "value", "error"}
_ERROR_FIELDS = {"name", "message"}


def journal_to_json(journal: Journal) -> list[Json]:
    """The JSON form of a journal, which `journal_from_json` reads."""
    return [
        {"name": entry.name, "arguments": entry.arguments, **_result_to_json(entry.result)}
        for entry in journal
    ]


def journal_from_json(value: Json) -> tuple[Entry, ...]:
    """The journal in a JSON value. Raises `InvalidJournal`, whose message names entry and field."""
    if not isinstance(value, list):
        raise InvalidJournal(f"a journal is a list of answered calls, not {kind(value)}")
    return tuple(_entry(index, item) for index, item in enumerate(value))


def _result_to_json(result: Result) -> dict[str, Json]:
    match result:
        case Returned(value):
            return {"value": value}
        case Raised(error):
            return {"error": {"name": error.name, "message": error.message}}
        case _:
            assert_never(result)


def _entry(index: int, item: Json) -> Entry:
    where = f"entry {index} of the journal"
    if not isinstance(item, dict):
        raise InvalidJournal(f"{where} is {kind(item)}, not an object")
    _only(_FIELDS, item, where)
    if "arguments" not in item:
        raise InvalidJournal(f"{where} has no 'arguments'")
    if ("value" in item) == ("error" in item):
        raise InvalidJournal(f"{where} needs either 'value' or 'error', and not both")
    name = _text(item, "name", where)
    _shallow(item, where)
    result = Returned(item["value"]) if "value" in item else Raised(_error(item["error"], where))
    return Entry(name, item["arguments"], result)


def _error(item: Json, where: str) -> CallError:
    where = f"'error' of {where}"
    if not isinstance(item, dict):
        raise InvalidJournal(f"{where} is {kind(item)}, not an object")
    _only(_ERROR_FIELDS, item, where)
    message = _text(item, "message", where)
    return CallError(message, _text(item, "name", where)) if "name" in item else CallError(message)


def _text(item: dict[str, Json], field: str, where: str) -> str:
    if field not in item:
        raise InvalidJournal(f"{where} has no '{field}'")
    value = item[field]
    if not isinstance(value, str):
        raise InvalidJournal(f"'{field}' of {where} is {kind(value)}, not a string")
    return value


def _only(known: set[str], item: dict[str, Json], where: str) -> None:
    unknown = sorted(item.keys() - known)
    if unknown:
        fields = ", ".join(repr(field) for field in sorted(known))
        raise InvalidJournal(f"{where} has the unknown field {unknown[0]!r}: it may have {fields}")


def _shallow(item: dict[str, Json], where: str) -> None:
    for field in ("arguments", "value"):
        try:
            check_depth(item.get(field))
        except NotJson as error:
            raise InvalidJournal(f"'{field}' of {where} is {error}") from error


def outcome_to_json(outcome: Outcome) -> dict[str, Json]:
    """The JSON form of an outcome, as `POST /v1/code/evaluate` answers with it."""
    logs = [log.text for log in outcome.logs]
    match outcome:
        case Suspended(calls):
            return {"status": "suspended", "calls": [_call(call) for call in calls], "logs": logs}
        case Completed(value):
            return {"status": "completed", "value": value, "logs": logs}
        case Failed(error):
            return {"status": "failed", "error": _failure(error), "logs": logs}
        case _:
            assert_never(outcome)


def _call(call: Call) -> dict[str, Json]:
    return {"index": call.index, "name": call.name, "arguments": call.arguments}


def _failure(failure: Failure) -> dict[str, Json]:
    """The JSON form of a failure, without the fields that are not known."""
    fields: dict[str, Json] = {
        "kind": failure.kind,
        "name": failure.name,
        "message": failure.message,
        "limit": failure.limit,
        "line": failure.line,
        "column": failure.column,
        "stack": failure.stack,
        "frame": failure.frame,
        "calls": failure.calls,
    }
    return {
        name: value
        for name, value in fields.items()
        if name in ("kind", "message") or value not in (None, "")
    }


def render(value: Json) -> bytes:
    """The text of a value, indented, in UTF-8. A lone surrogate, which UTF-8 cannot encode, is
    escaped: Python's escape of it is also that of JSON."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2)
    return text.encode("utf-8", "backslashreplace")
