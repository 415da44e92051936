"""An outcome as JSON: its status, the fields of that status, and the logs as text."""

from typing import assert_never

from coderelay.core import Call, Completed, Failed, Failure, Json, Outcome, Suspended


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
