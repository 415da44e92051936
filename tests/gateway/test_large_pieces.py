"""A large piece of a model's answer is worked on beside the event loop."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import TypeVar

import pytest

from coderelay.conversation import TokenUsage, TurnReply
from coderelay.conversation.work_size import is_large_event
from coderelay.core import Json
from coderelay.dialects import chat
from coderelay.gateway.turn import Turn
from coderelay.models.model import (
    CallPiece,
    Delta,
    FinishPiece,
    ModelNamePiece,
    TextPiece,
    UsagePiece,
)
from tests.gateway.driving import SEARCH, USER, at_once, gateway

T = TypeVar("T")

MANY = {f"field-{each}": [each] for each in range(20_000)}
LARGE: dict[str, Delta] = {
    "a field of a message": ModelNamePiece(extra={"x": MANY}),
    "fields of a message": ModelNamePiece(extra=MANY),
    "a model's name": ModelNamePiece("m" * 1_000_000),
    "a field of a call": CallPiece(0, extra={"x": MANY}),
    "arguments": CallPiece(0, arguments=" " * 1_000_000 + "{}"),
    "details of a usage": UsagePiece(TokenUsage(1, 2, 3, MANY)),
}


class Pieces:
    """A model that answers with these pieces."""

    def __init__(self, *pieces: Delta) -> None:
        self._pieces = pieces

    async def stream(
        self, body: Mapping[str, Json], *, key: str | None
    ) -> AsyncGenerator[Delta, None]:
        for piece in self._pieces:
            yield piece


@pytest.mark.parametrize("what", [*LARGE, "nothing"])
def test_only_a_large_piece_is_added_aside(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    is_aside, added_aside = False, []

    async def run_aside(work: Callable[[], T]) -> T:
        nonlocal is_aside
        is_aside = True
        try:
            return work()
        finally:
            is_aside = False

    def add(self: Turn, delta: Delta) -> None:
        if is_aside:
            added_aside.append(delta)
        model_sent(self, delta)

    model_sent = Turn.model_sent
    monkeypatch.setattr(Turn, "model_sent", add)
    pieces = [LARGE[what]] if what in LARGE else []
    model = Pieces(ModelNamePiece("m"), *pieces, TextPiece("Hi"), FinishPiece("stop"))
    body = {"model": "m", "messages": [USER], "tools": [SEARCH]}
    request = chat.decode(body, chat.Defaults())

    async def run() -> None:
        turn = gateway(model).turn(request, key=None, run_blocking=at_once, run_aside=run_aside)
        async for _ in turn:
            pass

    asyncio.run(run())
    assert added_aside == pieces


@pytest.mark.parametrize(
    ("usage", "model", "large"),
    [
        (TokenUsage(), "m", False),
        (TokenUsage(details=MANY), "m", True),
        (TokenUsage(), "m" * 1_000_000, True),
    ],
)
def test_a_reply_with_large_details_is_large(usage: TokenUsage, model: str, large: bool) -> None:
    assert is_large_event(TurnReply((), "stop", usage, model, "id", 0, None)) == large
