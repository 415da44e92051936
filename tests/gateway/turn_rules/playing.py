"""Plays turns on the scripted engine and model, without an event loop."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from coderelay.conversation import (
    AssistantText,
    CodeBlock,
    NewEntry,
    PlainMessage,
    ReasoningStreamed,
    TextStreamed,
    TurnEvent,
    TurnReply,
    TurnRequest,
)
from coderelay.core import Json, Tool
from coderelay.engines.scripted_engine import Script, ScriptedEngine
from coderelay.gateway import Gateway
from coderelay.models import ScriptedModel
from coderelay.models.scripted_model import ScriptedAnswer

T = TypeVar("T")

NOW = 1_763_300_000
SEARCH = Tool("web_search", parameters={"type": "object", "properties": {"query": {}}})
SHOW_MAP = {"type": "function", "function": {"name": "show_map"}}
QUESTION = PlainMessage({"role": "user", "content": "What is new?"})


def request(*entries: PlainMessage | CodeBlock, **fields: Any) -> TurnRequest:
    """A request with one tool for programs. Without entries it has one question."""
    return TurnRequest("m", entries or (QUESTION,), **{"tools": (SEARCH,), **fields})


@dataclass(frozen=True)
class Played:
    """A turn that was played: its events, and the bodies of the requests to the model."""

    events: list[TurnEvent]
    bodies: list[Mapping[str, Json]]

    @property
    def reply(self) -> TurnReply:
        """The last event."""
        reply = self.events[-1]
        assert isinstance(reply, TurnReply)
        return reply

    @property
    def entries(self) -> tuple[NewEntry, ...]:
        """What the turn added to the conversation."""
        return self.reply.entries

    @property
    def kinds(self) -> list[type[TurnEvent]]:
        """The classes of the events, in order."""
        return [type(event) for event in self.events]

    @property
    def streamed(self) -> str:
        """The text that was sent in pieces."""
        return "".join(each.text for each in self.events if isinstance(each, TextStreamed))

    @property
    def streamed_reasoning(self) -> str:
        """The reasoning that was sent in pieces."""
        return "".join(each.text for each in self.events if isinstance(each, ReasoningStreamed))

    @property
    def texts(self) -> list[str]:
        """The texts that the turn added to the conversation."""
        return [each.text for each in self.entries if isinstance(each, AssistantText)]

    @property
    def last_message(self) -> Json:
        """The last message that the model got."""
        return self.bodies[-1]["messages"][-1]


def play(
    turn_request: TurnRequest,
    *answers: ScriptedAnswer | str,
    programs: Mapping[str, Callable[[], Script]] | None = None,
    piece: int = 16,
) -> Played:
    """Play a turn: the model gives these answers one after another, in pieces of this length."""
    left = iter(answers)
    model = ScriptedModel(lambda body: next(left), piece=piece)
    engine = ScriptedEngine(programs or {}, language=turn_request.language)
    ids = iter(f"program{number}" for number in range(100))
    gateway = Gateway(model, lambda _: engine, now=lambda: NOW, new_id=lambda: next(ids))

    async def collect() -> list[TurnEvent]:
        turn = gateway.turn(turn_request, key=None, run_blocking=at_once)
        return [event async for event in turn]

    return Played(run_without_waiting(collect()), model.seen)


async def at_once(work: Callable[[], T]) -> T:
    """Run blocking work here and now."""
    return work()


def run_without_waiting(coroutine: Coroutine[Any, Any, T]) -> T:
    """Return the result of a coroutine that never waits, so that it needs no event loop."""
    try:
        coroutine.send(None)
    except StopIteration as ended:
        result: T = ended.value
        return result
    raise AssertionError("a scripted turn waits for nothing")


def returns(value: Json) -> Callable[[], Script]:
    """A program that calls no tool and returns a value."""

    def program() -> Script:
        return value
        yield

    return program


def searches(*queries: str) -> Callable[[], Script]:
    """A program that makes these searches at the same time and returns their results."""

    def program() -> Script:
        results: Sequence[Any] = yield [("web_search", {"query": query}) for query in queries]
        return [result.value for result in results]

    return program
