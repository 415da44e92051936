"""What an answer costs that comes in very many small pieces."""

from collections import deque
from collections.abc import Callable
from typing import Any

from coderelay.client.reply_reader import ReplyReader
from coderelay.conversation import TextStreamed, TurnRequest
from coderelay.dialects.responses import ResponsesStream
from coderelay.dialects.responses.request_state import ResponsesState
from coderelay.engines.python.failure_report import failure
from coderelay.models.completion_reader import error_of, pieces
from tests.attacks.costs import Case


def chunks(size: int) -> list[dict[str, Any]]:
    """The arguments of a call, two letters at a time."""
    function = {"name": "", "arguments": "[["}
    delta = {"tool_calls": [{"index": 0, "id": "", "function": function}]}
    return [{"choices": [{"delta": delta}]}] * (size // 2)


def gathered(chunks: list[dict[str, Any]]) -> None:
    """Put the chunks together."""
    reader = ReplyReader(None)
    for chunk in chunks:
        for piece in pieces(chunk):
            reader.feed(piece)
    reader.reply()


def stream_as_responses(pieces: list[TextStreamed]) -> None:
    """Tell of the pieces in the events of Responses."""
    state = ResponsesState(echo={}, wants_reasoning=False)
    stream = ResponsesStream(TurnRequest("m", (), dialect_state=state))
    for piece in pieces:
        stream.feed(piece)


CHUNKS: dict[str, Callable[[int], Any]] = {
    "calls": lambda size: {"tool_calls": [{}] * size},
    "arguments that are no text": lambda size: {
        "tool_calls": [{"function": {"arguments": {"a": [[]] * size}}}]
    },
    "parts of a text": lambda size: {"content": [{"text": ""}] * size},
    "fields": lambda size: {f"{each}": each for each in range(size)},
}

CASES = (
    *(
        Case(
            "models.completion_reader.pieces",
            text,
            40_000,
            lambda size, make=make: {"choices": [{"delta": make(size)}]},  # type: ignore[misc]
            lambda body: deque(pieces(body), maxlen=0),
        )
        for text, make in CHUNKS.items()
    ),
    Case(
        "models.completion_reader.error_of",
        "an error that is no text",
        100_000,
        lambda size: {"error": [[]] * size},
        error_of,
    ),
    Case(
        "engines.python.failure_report.failure",
        "lists in lists",
        1 << 20,
        lambda size: '{"kind": "exception", "a": [' + "[]," * (size // 3 - 20) + "1]}",
        lambda text: failure(text, "", ()),
    ),
    Case(
        "engines.python.failure_report.failure",
        "a message that nearly names something",
        1 << 20,
        lambda size: '{"message": "' + "name 'a" * (size // 7 - 10) + '"}',
        lambda text: failure(text, "", ()),
    ),
    Case(
        "client.reply_reader.ReplyReader.feed",
        "the arguments of a call, letter by letter",
        60_000,
        chunks,
        gathered,
    ),
    Case(
        "dialects.responses.ResponsesStream.feed",
        "white space, letter by letter",
        60_000,
        lambda size: [TextStreamed(" ")] * size,
        stream_as_responses,
    ),
)
