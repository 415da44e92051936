"""A plain client, a gateway without a server: each request is bytes and goes to a new gateway."""

import asyncio
import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from coderelay.conversation import TurnRequest
from coderelay.core import Json, Limits
from coderelay.dialects import chat
from coderelay.gateway import Gateway
from coderelay.languages.language_registry import engine
from coderelay.models import ScriptedModel
from coderelay.models.model import Model
from coderelay.models.scripted_model import ScriptedAnswer

T = TypeVar("T")
Tools = Mapping[str, Callable[..., Any]]

SEARCH = {
    "type": "function",
    "function": {
        "name": "web_search",
        "description": "Search the web.",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string"}},
            "required": ["query"],
        },
    },
}
USER = {"role": "user", "content": "What is new?"}


async def at_once(work: Callable[[], T]) -> T:
    return work()


class Raises(Exception):
    """A tool that fails."""


NOW = 1_763_300_000
_count = itertools.count(1)


def new_id() -> str:
    return f"id{next(_count)}"


def gateway(model: Model, **settings: Any) -> Gateway:
    return Gateway(model, engine, **{"now": lambda: NOW, "new_id": new_id, **settings})


async def events(body: Json, model: Model, **settings: Any) -> tuple[TurnRequest, list[Any]]:
    body = json.loads(json.dumps(body))
    request = chat.decode(body, chat.Defaults(limits=settings.get("limits", Limits())))
    turn = gateway(model, **settings).turn(request, key=None, run_blocking=at_once)
    return request, [event async for event in turn]


def ask(body: Json, model: Model, **settings: Any) -> Json:
    """One request and its response; streamed ones are put together again."""
    request, all_events = asyncio.run(events(body, model, **settings))
    if not request.stream:
        return json.loads(json.dumps(chat.encode(all_events[-1], request)))
    stream = chat.ChatStream(request)
    return assemble([chunk for event in all_events for chunk in stream.feed(event)])


def assemble(chunks: Sequence[Any]) -> dict[str, Any]:
    """What a client makes of chunks."""
    message: dict[str, Any] = {"role": "assistant", "content": ""}
    choice: dict[str, Any] = {"message": message}
    response: dict[str, Any] = {"choices": [choice], "chunks": chunks}
    for chunk in json.loads(json.dumps(chunks)):
        response.update({key: chunk[key] for key in ("usage", "code_mode", "id") if key in chunk})
        for each in chunk["choices"]:
            delta = each["delta"]
            message["content"] += delta.get("content") or ""
            message.update({key: delta[key] for key in ("refusal",) if key in delta})
            for call in delta.get("tool_calls", []):
                call.pop("index")
                message.setdefault("tool_calls", []).append(call)
            choice.setdefault("messages", []).extend(each.get("messages", []))
            choice["finish_reason"] = each["finish_reason"]
    return response


def tool_message(call: Json, tools: Tools) -> dict[str, Any]:
    arguments = json.loads(call["function"]["arguments"])
    message = {"role": "tool", "tool_call_id": call["id"]}
    try:
        return {**message, "content": json.dumps(tools[call["function"]["name"]](**arguments))}
    except Raises as error:
        return {**message, "content": str(error), "is_error": True}


def converse(body: Json, model: Model, tools: Tools, **settings: Any) -> list[Any]:
    """The ordinary tool loop of an unmodified client. The history it ends with."""
    messages = list(body["messages"])
    for _ in range(100):
        response = ask({**body, "messages": messages}, model, **settings)
        choice = response["choices"][0]
        messages += choice.get("messages") or [choice["message"]]
        if choice["finish_reason"] != "tool_calls":
            return messages
        messages += [tool_message(call, tools) for call in choice["message"]["tool_calls"]]
    raise AssertionError("the conversation does not come to an end")


def code(source: str, text: str = "") -> ScriptedAnswer:
    return ScriptedAnswer(text, code=source)


def script(*answers: ScriptedAnswer | str) -> ScriptedModel:
    return ScriptedModel(answers)


def request(**fields: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [USER], "tools": [SEARCH], **fields}
