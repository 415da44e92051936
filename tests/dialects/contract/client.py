"""A client of a dialect, driven without a server: each request is bytes, to a new gateway."""

import asyncio
import itertools
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from coderelay.conversation import TurnReply
from coderelay.core import Limits
from coderelay.dialects.dialect import Dialect
from coderelay.dialects.kit.code_mode import Defaults
from coderelay.models.model import Model
from tests.gateway.driving import at_once, gateway

Json = Any
Functions = Mapping[str, Callable[..., Any]]


@dataclass(frozen=True)
class Spec:
    """A tool, in no API's words. Without `callers` it is for programs only."""

    name: str
    parameters: Json = None
    callers: tuple[str, ...] = ("programmatic",)
    returns: Json = None


@dataclass(frozen=True)
class Made:
    """A call that the client has to answer."""

    id: str
    name: str
    arguments: Json


@dataclass(frozen=True)
class Failure(Exception):
    """A tool that fails, or its answer."""

    message: str


QUERY = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
SEARCH = Spec("web_search", QUERY)


class Client(ABC):
    """What a client of an API does. `vendor`: in that API's own shapes for programs."""

    name: str
    dialect: Dialect
    languages: tuple[str, ...] = ("typescript", "python")

    def __init__(self, *, vendor: bool = False) -> None:
        self.vendor = vendor

    def __repr__(self) -> str:
        return f"{self.name}-vendor" if self.vendor else self.name

    @abstractmethod
    def user(self, text: str) -> list[Json]:
        """What is appended for a user's message."""

    @abstractmethod
    def body(
        self,
        history: list[Json],
        *,
        tools: Sequence[Spec],
        language: str,
        stream: bool,
        choice: Json = None,
        parallel: bool = True,
        **code_mode: Any,
    ) -> Json:
        """A request. `choice` is a word, or `{"name": …}` for a tool."""

    @abstractmethod
    def assemble(self, events: list[Json]) -> Json:
        """The response that the events of a stream make."""

    @abstractmethod
    def check(self, response: Json) -> None:
        """Raise where the SDK's types do not know something in a response."""

    @abstractmethod
    def check_event(self, event: Json) -> None:
        """Raise where the SDK's types do not know something in an event."""

    @abstractmethod
    def text(self, response: Json) -> str:
        """All that the assistant said."""

    @abstractmethod
    def refusal(self, response: Json) -> str | None:
        """The words in which the model refused, where a response says that it did."""

    @abstractmethod
    def calls(self, response: Json) -> list[Made]:
        """The calls to answer."""

    @abstractmethod
    def after(self, history: list[Json], response: Json) -> list[Json]:
        """The history with what a client appends of a response."""

    @abstractmethod
    def answered(
        self, history: list[Json], answers: Sequence[tuple[Made, Json | Failure]]
    ) -> list[Json]:
        """The history with the results of calls, in the given order; a string is sent as it is,
        all else as JSON."""

    def ask(self, body: Json, model: Model, **settings: Any) -> Json:
        """One request and its response; streamed ones are put together again."""
        return asyncio.run(self._ask(body, model, **settings))

    async def _ask(self, body: Json, model: Model, **settings: Any) -> Json:
        defaults = Defaults(limits=settings.get("limits", Limits()))
        request = self.dialect.decode(json.loads(json.dumps(body)), defaults)
        turn = gateway(model, **settings).turn(request, key=None, run_blocking=at_once)
        happened = [event async for event in turn]
        if not request.stream:
            assert isinstance(happened[-1], TurnReply)
            response = json.loads(json.dumps(self.dialect.encode(happened[-1], request)))
            self.check(response)
            return response
        stream = self.dialect.stream(request)
        sent = json.loads(json.dumps([piece for each in happened for piece in stream.feed(each)]))
        for event in sent:
            self.check_event(event)
        response = self.assemble(sent)
        self.check(response)
        return response

    def run(self, made: Made, functions: Functions) -> tuple[Made, Json | Failure]:
        """A call, carried out."""
        try:
            return made, json.dumps(functions[made.name](**made.arguments))
        except Failure as failure:
            return made, failure

    def converse(
        self, history: list[Json], model: Model, functions: Functions, **request: Any
    ) -> "Conversation":
        """The ordinary tool loop of an unmodified client."""
        batches: list[list[Made]] = []
        texts: list[str] = []
        steps: list[tuple[list[Json], Json]] = []
        for _ in range(50):
            response = self.ask(self.body(history, **request), model, new_id=new_ids(history))
            steps.append((history, response))
            history = self.after(history, response)
            texts.append(self.text(response))
            calls = self.calls(response)
            if not calls:
                return Conversation(history, batches, texts, steps)
            batches.append(calls)
            history = self.answered(history, [self.run(made, functions) for made in calls])
        raise AssertionError("the conversation does not come to an end")


@dataclass(frozen=True)
class Conversation:
    """How a tool loop went: the history at its end, what came in each response, and each history
    that was sent with its response."""

    history: list[Json]
    batches: list[list[Made]]
    texts: list[str]
    steps: list[tuple[list[Json], Json]]


def new_ids(history: list[Json]) -> Callable[[], str]:
    """Ids that are the same where the same history is sent again."""
    numbers = itertools.count()
    return lambda: f"id{len(history)}n{next(numbers)}"
