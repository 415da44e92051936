"""An upstream's JSON, whole or in chunks, is read into pieces of an answer."""

import json
import math
from collections.abc import Iterator, Mapping

from coderelay.conversation import TokenUsage, UpstreamError
from coderelay.core import Json
from coderelay.core.json_counts import TooManyValues
from coderelay.core.json_reader import read_json
from coderelay.core.json_values import NotJson, dump
from coderelay.core.limits import KB
from coderelay.models.model import (
    CallPiece,
    Delta,
    FinishPiece,
    ModelNamePiece,
    ReasoningPiece,
    RefusalPiece,
    TextPiece,
    UsagePiece,
)

_MESSAGE = frozenset(
    "role content tool_calls function_call reasoning_content reasoning refusal audio".split()
)
_COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")
_LONGEST_TEXT = 16 * KB
_MOST_TOKENS = 2**53
"""A count beyond is none: sums and metrics are to stay exact."""


def parsed(text: str | bytes) -> Json:
    """The value of an upstream's JSON. A number that is none (NaN, 1e999) is null, since nobody
    could be sent it. Raises `UpstreamError`."""
    try:
        return read_json(text, _READER)
    except TooManyValues as error:
        raise UpstreamError(f"the model's endpoint sent a JSON text: {error}") from None
    except NotJson:  # the message would quote what was sent
        raise UpstreamError("the model's endpoint sent something else than JSON") from None


def pieces(body: Json) -> Iterator[Delta]:
    """The pieces in a chat completion or in a chunk of one. Odd parts are skipped: upstreams
    differ in what they leave out and in what they add."""
    if not isinstance(body, Mapping):
        raise UpstreamError("the model's endpoint sent something else than an object")
    if body.get("error"):
        raise UpstreamError(error_message(body))
    if isinstance(body.get("model"), str):
        yield ModelNamePiece(body["model"])
    choices = body.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], Mapping):
        yield from _choice(choices[0])
    if isinstance(body.get("usage"), Mapping):
        yield UsagePiece(_usage(body["usage"]))


def short_pieces(body: Json) -> Iterator[Delta]:
    """The same pieces, with long texts in several: each is worked on in one step."""
    for piece in pieces(body):
        if isinstance(piece, (TextPiece, ReasoningPiece, RefusalPiece)):
            for at in range(0, len(piece.text), _LONGEST_TEXT):
                yield type(piece)(piece.text[at : at + _LONGEST_TEXT])
        else:
            yield piece


def error_message(body: Json) -> str:
    """What an upstream says of its failure, at whatever length, with whatever secrets."""
    error = body.get("error", body) if isinstance(body, Mapping) else body
    message = error.get("message", error) if isinstance(error, Mapping) else error
    return message if isinstance(message, str) else dump(message)


def _choice(choice: Mapping[str, Json]) -> Iterator[Delta]:
    said = choice.get("delta") or choice.get("message")
    if isinstance(said, Mapping):
        thought = said.get("reasoning_content") or said.get("reasoning")
        if isinstance(thought, str) and thought:
            yield ReasoningPiece(thought)
        yield from _content(said.get("content"))
        refusal = said.get("refusal")
        if isinstance(refusal, str) and refusal:
            yield RefusalPiece(refusal)
        calls = said.get("tool_calls")
        if isinstance(calls, list):
            for place, call in enumerate(calls):
                if isinstance(call, Mapping):
                    yield _call(place, call)
        extra = {key: value for key, value in said.items() if key not in _MESSAGE}
        if extra:
            yield ModelNamePiece(extra=extra)
    if isinstance(choice.get("finish_reason"), str):
        yield FinishPiece(choice["finish_reason"])


def _content(content: Json) -> Iterator[Delta]:
    if isinstance(content, str) and content:
        yield TextPiece(content)
    if isinstance(content, list):  # some upstreams answer in parts
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
    """A detail of a usage, without numbers that cannot be added up."""
    if isinstance(value, Mapping):
        return {key: _detail(inner) for key, inner in value.items()}
    if isinstance(value, (int, float)) and abs(value) > _MOST_TOKENS:
        return None
    return value


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


_READER = json.JSONDecoder(parse_float=_finite, parse_constant=lambda _: None)
