"""What an answer costs that comes in very many small pieces."""

from types import SimpleNamespace
from typing import Any

from coderelay.client.reply_reader import ReplyReader
from coderelay.conversation import TextStreamed
from coderelay.dialects.responses import ResponsesStream
from coderelay.models.completion_reader import pieces
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


def spoken(pieces: list[TextStreamed]) -> None:
    """Tell of the pieces in the events of Responses."""
    request = SimpleNamespace(
        protocol="ids", model="m", dialect_state={"thoughts": False, "echo": {}}
    )
    stream = ResponsesStream(request)  # type: ignore[arg-type]
    for piece in pieces:
        stream.feed(piece)


CASES = (
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
        spoken,
    ),
)
