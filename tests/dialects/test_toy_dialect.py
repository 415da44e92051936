"""The recipe in CONTRIBUTING for a new dialect, followed: one package, one row, nothing else."""

import asyncio
from collections.abc import Mapping
from typing import Any

import httpx

from coderelay.conversation import (
    AssistantText,
    PlainMessage,
    TextStreamed,
    TurnEvent,
    TurnReply,
    TurnRequest,
)
from coderelay.core import Json
from coderelay.dialects.dialect import Dialect
from coderelay.dialects.kit.code_mode import Defaults
from coderelay.dialects.kit.error_table import describe
from coderelay.dialects.kit.fields import Fields
from coderelay.dialects.kit.operation import Operation
from coderelay.dialects.registry import DIALECTS
from coderelay.models import ScriptedModel
from coderelay.server.app import create_app
from coderelay.server.settings import Settings


def decode(body: Json, defaults: Defaults) -> TurnRequest:
    fields = Fields(body)
    question = PlainMessage({"role": "user", "content": fields.text("question")})
    return TurnRequest("m", (question,), stream=fields.flag("stream", False))


def encode(reply: TurnReply, request: TurnRequest) -> Json:
    return {
        "answer": "".join(each.text for each in reply.entries if isinstance(each, AssistantText))
    }


class Stream:
    def __init__(self, request: TurnRequest) -> None:
        pass

    def feed(self, event: TurnEvent) -> list[Json]:
        return [{"piece": event.text}] if isinstance(event, TextStreamed) else []

    def fail(self, error: Json) -> list[Json]:
        return [error]


def error_object(
    message: str, *, type: str, param: str | None = None, code: str | None = None
) -> Json:
    return {"problem": message, "field": param}


def error_body(error: Exception) -> tuple[int, Json, Mapping[str, str]]:
    found = describe(error)
    body = error_object(found.message, type=found.type, param=found.param)
    return found.status, body, found.headers


TOY = Dialect(
    name="Toy",
    path="/toy",
    operation=Operation("A toy", "Asks a question.", {"question": "Why?"}, ["question"]),
    decode=decode,
    encode=encode,
    stream=Stream,
    error_body=error_body,
    error_object=error_object,
    done="bye",
)


def responses_to(*requests: tuple[str, str, Any]) -> list[httpx.Response]:
    model = ScriptedModel(lambda body: "Because.")
    app = create_app(Settings("scripted"), model, dialects=(*DIALECTS, TOY))

    async def ask() -> list[httpx.Response]:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
            return [await http.request(method, path, json=body) for method, path, body in requests]

    return asyncio.run(ask())


def test_a_toy_dialect_is_served_streamed_described_and_has_its_own_errors() -> None:
    whole, streamed, wrong, described = responses_to(
        ("POST", "/toy", {"question": "Why?"}),
        ("POST", "/toy", {"question": "Why?", "stream": True}),
        ("POST", "/toy", {"question": 7}),
        ("GET", "/openapi.json", None),
    )
    assert whole.json() == {"answer": "Because."}
    assert streamed.text == 'data: {"piece":"Because."}\n\ndata: bye\n\n'
    assert wrong.status_code == 422
    assert wrong.json() == {"problem": "'question' is a number, not a string", "field": "question"}
    assert described.json()["paths"]["/toy"]["post"]["summary"] == "A toy"
