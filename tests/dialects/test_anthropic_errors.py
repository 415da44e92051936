"""Errors in the format of the Anthropic API."""

from typing import Any

import pytest

from coderelay.conversation import (
    DamagedState,
    FieldError,
    HistoryError,
    ProgramsSpent,
    TooLarge,
    Unsupported,
    UpstreamError,
    UpstreamTimeout,
)
from coderelay.core import Diverged, EngineError, TimedOut
from coderelay.dialects import anthropic
from coderelay.dialects.kit.code_mode import Defaults
from tests.dialects.contract.anthropic_client import AnthropicClient

Json = Any


@pytest.mark.parametrize(
    ("error", "status", "type", "code"),
    [
        (Unsupported("n", "is no field"), 400, "invalid_request_error", None),
        (HistoryError("odd"), 400, "invalid_request_error", None),
        (FieldError("n", "is odd"), 422, "invalid_request_error", None),
        (TooLarge("long"), 413, "request_too_large", None),
        (DamagedState("cut"), 400, "invalid_request_error", "damaged_token"),
        (
            Diverged("other", index=0, recorded=None, came=None),
            400,
            "invalid_request_error",
            "divergence",
        ),
        (ProgramsSpent("many"), 400, "invalid_request_error", "max_programs"),
        (UpstreamError("down"), 502, "api_error", None),
        (UpstreamTimeout("late"), 504, "timeout_error", None),
        (TimedOut("slow"), 503, "api_error", None),
        (EngineError("broken"), 500, "api_error", None),
        (ValueError("secret"), 500, "api_error", None),
    ],
)
def test_an_error_has_its_type_and_its_code(
    error: Exception, status: int, type: str, code: str | None
) -> None:
    told, body, _ = anthropic.error_body(error)
    AnthropicClient().check_error(body)
    assert (told, body["error"]["type"]) == (status, type)
    assert body["error"].get("details") == ({"error_code": code} if code else None)
    assert "secret" not in str(body)


@pytest.mark.parametrize(
    ("code", "kind", "type"),
    [
        ("invalid_api_key", "invalid_request_error", "authentication_error"),
        ("not_found", "invalid_request_error", "not_found_error"),
        ("body_too_large", "invalid_request_error", "request_too_large"),
        ("invalid_json", "invalid_request_error", "invalid_request_error"),
        ("overloaded", "server_error", "overloaded_error"),
    ],
)
def test_a_refusal_of_the_server_has_the_type_of_the_api(code: str, kind: str, type: str) -> None:
    body = anthropic.error_object("no", type=kind, code=code)
    AnthropicClient().check_error(body)
    assert body["error"] == {"type": type, "message": "no"}


def test_the_field_thread_is_refused_with_the_code_that_official_runners_know() -> None:
    body: Json = {"model": "m", "max_tokens": 9, "messages": [], "thread": {"type": "create"}}
    with pytest.raises(Unsupported) as refused:
        anthropic.decode(body, Defaults())
    status, told, _ = anthropic.error_body(refused.value)
    assert status == 400
    assert told["error"]["details"] == {
        "error_code": "thread_unsupported_request",
        "unsupported": ["thread"],
    }
