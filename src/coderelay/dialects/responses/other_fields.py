"""The other fields of a request: what goes upstream under which name, what does not, what is 400.

Fields that are not named here go upstream as they are, for what an endpoint has of its own.
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
"""What concerns the stored response or OpenAI's hosted tools, and no model."""
_REFUSED: Mapping[str, str] = MappingProxyType(
    {
        "previous_response_id": f"cannot be followed: {SEND_BACK}",
        "conversation": f"cannot be followed: {SEND_BACK}",
        "prompt": "names a stored template, and this server stores none: send it in `input`",
        "background": f"cannot be served: {SEND_BACK}",
        "moderation": "cannot be served by an OpenAI-compatible model",
        "context_management": "cannot be served by an OpenAI-compatible model",
        "messages": "is no field of this API: use `input`",
        "n": "is no field of this API",
        "response_format": "is no field of this API: use `text.format`",
        "top_logprobs": "cannot be served: programs leave no token to tell it of",
    }
)
_LOGPROBS = "message.output_text.logprobs"
_TEXTS = "instructions prompt_cache_key safety_identifier service_tier user".split()
_NUMBERS = "temperature top_p max_output_tokens max_tool_calls".split()


def refuse(fields: Fields) -> None:
    """Raise for what cannot be translated."""
    for name, reason in _REFUSED.items():
        if fields.value.get(name):  # null, false and 0 ask for nothing
            raise Unsupported(name, reason)
    if _LOGPROBS in fields.items("include", []):
        raise Unsupported("include", f"asks for {_LOGPROBS!r}, which cannot be served")


def read_options(fields: Fields) -> dict[str, Json]:
    """What goes upstream, in the words of Chat Completions."""
    options = {
        key: value
        for key, value in fields.value.items()
        if key not in _READ and key not in _OURS and key not in _REFUSED and value is not None
    }
    if fields.value.get("max_output_tokens") is not None:
        # not `max_completion_tokens`: more endpoints know this one, and some refuse the other
        options["max_tokens"] = fields.number("max_output_tokens")
    effort = fields.inner("reasoning", {}).text("effort", "")
    if effort:
        options["reasoning_effort"] = effort
    verbosity = fields.inner("text", {}).text("verbosity", "")
    if verbosity:
        options["verbosity"] = verbosity
    return options


def read_format(fields: Fields) -> Json:
    """`text.format`, as Chat Completions has it; None where any text will do."""
    given = fields.inner("text", {}).inner("format", {})
    match given.text("type", "text"):
        case "text":
            return None
        case "json_object":
            return {"type": "json_object"}
        case "json_schema":
            schema: dict[str, Json] = {
                "name": given.text("name"),
                "schema": given.inner("schema").value,
            }
            for name in ("description", "strict"):
                if given.value.get(name) is not None:
                    schema[name] = given.value[name]
            return {"type": "json_schema", "json_schema": schema}
        case other:
            reason = f"is {other!r:.40}: choose 'text', 'json_object' or 'json_schema'"
            raise Unsupported(given.path("type"), reason)


def wants_thoughts(fields: Fields) -> bool:
    """Whether a client asked for what the model thinks aloud."""
    reasoning = fields.inner("reasoning", {})
    return bool(reasoning.text("summary", "") or reasoning.text("generate_summary", ""))


def read_echo(fields: Fields, tools: list[Json]) -> dict[str, Json]:
    """What a response repeats of its request."""
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
    """A number, whole or not."""
    value = fields.value.get(name)
    if value is not None:
        fields.number(name)
    return value
