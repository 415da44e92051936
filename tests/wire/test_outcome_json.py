"""An outcome on the wire has its status, what belongs to that status, and logs as text."""

from coderelay.core import Call, Completed, Failed, Failure, Log, Suspended
from coderelay.wire import outcome_to_json


def test_a_suspended_program_shows_the_calls_it_waits_for() -> None:
    outcome = Suspended((Call(1, "f", {"a": 1}),), (Log("warn", "careful"),), 5)
    assert outcome_to_json(outcome) == {
        "status": "suspended",
        "calls": [{"index": 1, "name": "f", "arguments": {"a": 1}}],
        "logs": ["careful"],
    }


def test_a_completed_program_shows_its_value_even_if_that_is_null() -> None:
    assert outcome_to_json(Completed(None)) == {"status": "completed", "value": None, "logs": []}


def test_a_failed_program_shows_what_is_known_of_its_error() -> None:
    error = Failure("exception", "no", name="TypeError", line=3, column=5, stack="at main")
    assert outcome_to_json(Failed(error))["error"] == {
        "kind": "exception",
        "name": "TypeError",
        "message": "no",
        "line": 3,
        "column": 5,
        "stack": "at main",
    }


def test_a_passed_limit_is_named() -> None:
    outcome = Failed(Failure("limit", "", limit="fuel"))
    assert outcome_to_json(outcome)["error"] == {"kind": "limit", "message": "", "limit": "fuel"}
