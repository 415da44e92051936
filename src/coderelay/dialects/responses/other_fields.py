"""Translates the other fields of a request: which go upstream, under which name, and which are
refused.

Fields that are not named here go upstream unchanged, because an endpoint may have its own.
"""

from collections.abc import Mapping
from types import MappingProxyType

from coderelay.conversation import Unsupported
from coderelay.core import Json
from coderelay.dialects.kit.fields import Fields
from coderelay.dialects.responses.history import SEND_BACK

_READ = frozenset(
    "model input instructions tools tool_choice parallel_tool_calls text reasoning stream "
    "code_mode max_output_tokens".split()
)
_OURS = frozenset("store include metadata truncation max_tool_calls stream_options".split())
"""Fields about stored responses or OpenAI's hosted tools, which do not go upstream."""
_REFUSED: Mapping[str, str] = MappingProxyType(
    {
        "previous_response_id": f"is not supported: {SEND_BACK}",
        "conversation": f"is not supported: {SEND_BACK}",
        "prompt": "is not supported, because this server stores no prompts: send it in `input`",
        "background": f"is not supported: {SEND_BACK}",
        "moderation": "is not supported: remove it",
        "context_management": "is not supported: remove it",
        "messages": "is not a field of this API: use `input`",
        "n": "is not a field of this API: remove it",
        "response_format": "is not a field of this API: use `text.format`",
        "top_logprobs": "is not supported: remove it",
    }
)
_LOGPROBS = "message.output_text.logprobs"
_TEXTS = "instructions prompt_cache_key safety_identifier service_tier user".split()
_NUMBERS = "temperature top_p max_output_tokens max_tool_calls".split()


def refuse(fields: Fields) -> None:
    """Raise `Unsupported` for fields that cannot be translated."""
    for name, reason in _REFUSED.items():
        if fields.value.get(name):  # null, false and 0 are the defaults of these fields
            raise Unsupported(name, reason)
    if _LOGPROBS in fields.items("include", []):
        raise Unsupported("include", f"has {_LOGPROBS!r}, which is not supported: remove it")


def read_options(fields: Fields) -> dict[str, Json]:
    """Return the fields for the upstream, as Chat Completions names them."""
    options = {
        key: value
        for key, value in fields.value.items()
        if key not in _READ and key not in _OURS and key not in _REFUSED and value is not None
    }
    if fields.value.get("max_output_tokens") is not None:
        # Not `max_completion_tokens`: more endpoints know `max_tokens`, and some refuse the other.
        options["max_tokens"] = fields.number("max_output_tokens")
    effort = fields.inner("reasoning", {}).text("effort", "")
    if effort:
        options["reasoning_effort"] = effort
    verbosity = fields.inner("text", {}).text("verbosity", "")
    if verbosity:
        options["verbosity"] = verbosity
    return options


def read_format(fields: Fields) -> Json:
    """Return `text.format` in the format of Chat Completions, or None for plain text."""
    text_format = fields.inner("text", {}).inner("format", {})
    match text_format.text("type", "text"):
        case "text":
            return None
        case "json_object":
            return {"type": "json_object"}
        case "json_schema":
            schema: dict[str, Json] = {
                "name": text_format.text("name"),
                "schema": text_format.inner("schema").value,
            }
            for name in ("description", "strict"):
                if text_format.value.get(name) is not None:
                    schema[name] = text_format.value[name]
            return {"type": "json_schema", "json_schema": schema}
        case other:
            reason = f"is {other!r:.40}: choose 'text', 'json_object' or 'json_schema'"
            raise Unsupported(text_format.path("type"), reason)


def wants_reasoning(fields: Fields) -> bool:
    """Return whether the client wants the model's reasoning."""
    reasoning = fields.inner("reasoning", {})
    return bool(reasoning.text("summary", "") or reasoning.text("generate_summary", ""))


def read_echo(fields: Fields, tools: list[Json]) -> dict[str, Json]:
    """Return the fields of the request that the response repeats."""
    reasoning = fields.inner("reasoning", {}).value
    text = fields.inner("text", {}).value
    return {
        **{name: fields.text(name, None) for name in _TEXTS},
        **{name: _number(fields, name) for name in _NUMBERS},
        "metadata": fields.inner("metadata", {}).value,
        "background": False,
        "parallel_tool_calls": fields.flag("parallel_tool_calls", True),
        "previous_response_id": None,
        "reasoning": {"effort": reasoning.get("effort"), "summary": reasoning.get("summary")},
        "text": {"format": {"type": "text"}, **{k: v for k, v in text.items() if v is not None}},
        "tool_choice": fields.value.get("tool_choice") or "auto",
        "tools": tools,
        "truncation": "disabled",
    }


def _number(fields: Fields, name: str) -> float | None:
    """Return a number field, which may be a float, or None."""
    value = fields.value.get(name)
    if value is not None:
        fields.number(name)
    return value
