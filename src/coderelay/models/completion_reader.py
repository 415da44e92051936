"""A chat completion, whole or in chunks, is read into the pieces of an answer."""

import json
import math
from collections.abc import Iterator, Mapping

from coderelay.conversation import TokenUsage, UpstreamError
from coderelay.core import Json
from coderelay.core.json_counts import TooManyValues
from coderelay.core.json_reader import read_json
from coderelay.core.json_values import NotJson, dump
from coderelay.core.limits import KB
from coderelay.models.failures import UpstreamRefusal
from coderelay.models.model import (
    CallPiece,
    Delta,
    FinishPiece,
    ModelNamePiece,
    NewMessagesPiece,
    ReasoningPiece,
    RefusalPiece,
    TextPiece,
    UsagePiece,
)

_MESSAGE = frozenset(
    "role content tool_calls function_call reasoning_content reasoning refusal audio".split()
)
"""The fields of a message that are read here, or that nobody passes on."""
_COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")
_LONGEST_TEXT = 16 * KB
_MOST_TOKENS = 2**53
"""A larger count is ignored, so that sums and metrics stay exact."""


def parsed(text: str | bytes) -> Json:
    """The value of an endpoint's JSON. NaN, infinities and numbers such as 1e999 become null,
    since JSON cannot pass them on. Raises `UpstreamError`."""
    try:
        return read_json(text, _READER)
    except TooManyValues as error:
        raise UpstreamError(f"the model's endpoint sent a JSON text: {error}") from None
    except NotJson:  # the message would quote what was sent
        raise UpstreamError("the model's endpoint sent an answer that is not JSON") from None


def pieces(body: Json) -> Iterator[Delta]:
    """The pieces in a chat completion or in a chunk of one. Parts of an unknown shape are skipped:
    endpoints differ in what they leave out and in what they add.

    Raises `UpstreamRefusal` for an error in the answer's place.
    """
    if not isinstance(body, Mapping):
        raise UpstreamError("the model's endpoint sent an answer that is not a JSON object")
    if body.get("error"):
        reason, type = error_of(body)
        raise UpstreamRefusal(reason, type=type)
    if isinstance(body.get("model"), str):
        yield ModelNamePiece(body["model"])
    choices = body.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], Mapping):
        yield from _choice(choices[0])
    if isinstance(body.get("usage"), Mapping):
        yield UsagePiece(_usage(body["usage"]))


def short_pieces(body: Json) -> Iterator[Delta]:
    """The same pieces, with long texts cut into several, because each is handled in one step."""
    for piece in pieces(body):
        if isinstance(piece, (TextPiece, ReasoningPiece, RefusalPiece)):
            for at in range(0, len(piece.text), _LONGEST_TEXT):
                yield type(piece)(piece.text[at : at + _LONGEST_TEXT])
        else:
            yield piece


def error_of(body: Json) -> tuple[str, str | None]:
    """The message and the type of an error, as long as they are and with any secrets in them."""
    error = body.get("error", body) if isinstance(body, Mapping) else body
    if not isinstance(error, Mapping):
        return error if isinstance(error, str) else dump(error), None
    message, type = error.get("message") or error, error.get("type")
    text = message if isinstance(message, str) else dump(message)
    return text, type if isinstance(type, str) else None


def _choice(choice: Mapping[str, Json]) -> Iterator[Delta]:
    message = choice.get("delta") or choice.get("message")
    if isinstance(message, Mapping):
        reasoning = message.get("reasoning_content") or message.get("reasoning")
        if isinstance(reasoning, str) and reasoning:
            yield ReasoningPiece(reasoning)
        yield from _content(message.get("content"))
        refusal = message.get("refusal")
        if isinstance(refusal, str) and refusal:
            yield RefusalPiece(refusal)
        calls = message.get("tool_calls")
        if isinstance(calls, list):
            for place, call in enumerate(calls):
                if isinstance(call, Mapping):
                    yield _call(place, call)
        extra = {key: value for key, value in message.items() if key not in _MESSAGE}
        if extra:
            yield ModelNamePiece(extra=extra)
    added = choice.get("messages")
    if isinstance(added, list):
        yield NewMessagesPiece(added)
    if isinstance(choice.get("finish_reason"), str):
        yield FinishPiece(choice["finish_reason"])


def _content(content: Json) -> Iterator[Delta]:
    if isinstance(content, str) and content:
        yield TextPiece(content)
    if isinstance(content, list):  # some endpoints answer in parts
        for part in content:
            if isinstance(part, Mapping) and isinstance(part.get("text"), str):
                yield TextPiece(part["text"])


def _call(place: int, call: Mapping[str, Json]) -> CallPiece:
    index = call.get("index")
    function = call.get("function")
    function = function if isinstance(function, Mapping) else {}
    return CallPiece(
        index if isinstance(index, int) else place,
        _text(call.get("id")),
        _text(function.get("name")),
        _text(function.get("arguments")),
        {key: value for key, value in call.items() if key not in ("index", "id", "function")},
    )


def _text(value: Json) -> str:
    if isinstance(value, Mapping):  # Ollama's own arguments are an object
        return dump(value)
    return value if isinstance(value, str) else ""


def _usage(usage: Mapping[str, Json]) -> TokenUsage:
    prompt, completion, total = (_count(usage.get(name)) for name in _COUNTS)
    details = {key: _detail(value) for key, value in usage.items() if key not in _COUNTS}
    return TokenUsage(prompt, completion, total or prompt + completion, details)


def _count(value: Json) -> int:
    counted = isinstance(value, (int, float)) and 0 <= value <= _MOST_TOKENS
    return int(value) if counted else 0


def _detail(value: Json) -> Json:
    """A further field of the usage, without numbers too large to be added up."""
    if isinstance(value, Mapping):
        return {key: _detail(inner) for key, inner in value.items()}
    if isinstance(value, (int, float)) and abs(value) > _MOST_TOKENS:
        return None
    return value


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


_READER = json.JSONDecoder(parse_float=_finite, parse_constant=lambda _: None)
