"""The recipe in CONTRIBUTING for a new dialect, followed: one package, one row, nothing else.

The toy API has a question, tools with the names of their parameters, and the steps so far:

    {"question": "What is new?",
     "tools": [{"name": "web_search", "takes": ["query"]}],
     "steps": [{"call": "1", "tool": "web_search", "with": {"query": "news"}},
               {"answer": "calm", "to": "1"}]}
"""

import asyncio
from collections.abc import Mapping
from typing import Any

import httpx
import pytest

from coderelay.conversation import (
    AssistantText,
    CallsHandedOut,
    HandedCall,
    TextStreamed,
    TurnEvent,
    TurnReply,
    TurnRequest,
)
from coderelay.conversation.history_reader import History, ReturnedCall
from coderelay.core import Json
from coderelay.dialects.dialect import Dialect
from coderelay.dialects.kit.code_mode import Defaults, read_mode
from coderelay.dialects.kit.declared_tools import (
    DeclaredTools,
    FunctionTool,
    cached_reader,
    read_name,
    sort_tools,
)
from coderelay.dialects.kit.error_table import describe
from coderelay.dialects.kit.fields import Fields
from coderelay.dialects.kit.operation import Operation
from coderelay.dialects.registry import DIALECTS
from coderelay.models import ScriptedModel
from coderelay.models.scripted_model import ScriptedAnswer
from coderelay.server.app import create_app
from coderelay.server.settings import Settings

# Step 1: the functions and the class, built from the kit.


def decode(body: Json, defaults: Defaults) -> TurnRequest:
    fields = Fields(body)
    mode = read_mode(fields, defaults, has_programs=False)
    tools = read_tools(fields.items("tools", []), None)
    history = History(tools.programmatic, defaults.limits)
    history.add_message({"role": "user", "content": fields.text("question")})
    for place, step in enumerate(fields.items("steps", [])):
        read_step(Fields(step, f"steps[{place}]"), history)
    return TurnRequest(
        "m",
        history.entries(),
        tools=tools.programmatic,
        direct=tools.direct,
        language=mode.language,
        max_programs=mode.max_programs,
        receipt=mode.receipt,
        protocol=mode.protocol,
        stream=fields.flag("stream", False),
    )


@cached_reader
def read_tools(declared: list[Json], options: None) -> DeclaredTools:
    return sort_tools(declared, read_tool)


def read_tool(fields: Fields) -> FunctionTool:
    name, parameters = read_name(fields), fields.items("takes", [])
    schema = {"type": "object", "properties": {each: {} for each in parameters}}
    function = {"name": name, "parameters": schema}
    return FunctionTool(
        name, ["programmatic"], {"type": "function", "function": function}, function
    )


def read_step(fields: Fields, history: History) -> None:
    if "call" in fields.value:
        id, name, arguments = fields.text("call"), fields.text("tool"), fields.inner("with").value
        call = ReturnedCall(id, name, arguments, {"id": id, "type": "function"})
        history.add_calls({"role": "assistant"}, [call], text="", where=fields.path("call"))
    else:
        id, answer = fields.text("to"), fields.text("answer")
        message = {"role": "tool", "tool_call_id": id, "content": answer}
        history.add_answer(message, id, answer, is_error=False, where=fields.path("to"))


def encode(reply: TurnReply, request: TurnRequest) -> Json:
    texts = [each.text for each in reply.entries if isinstance(each, AssistantText)]
    calls = [
        call_to_json(call)
        for each in reply.entries
        if isinstance(each, CallsHandedOut)
        for call in each.calls
    ]
    return {"calls": calls} if calls else {"text": "".join(texts)}


def call_to_json(call: HandedCall) -> Json:
    return {"call": call.id, "tool": call.name, "with": call.arguments}


class Stream:
    def __init__(self, request: TurnRequest) -> None:
        pass

    def feed(self, event: TurnEvent) -> list[Json]:
        match event:
            case TextStreamed(text):
                return [{"text": text}]
            case CallsHandedOut(_, calls):
                return [call_to_json(call) for call in calls]
            case _:
                return []

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


# Step 2: a `Dialect` with its path and its description.

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

TOOL = {"name": "web_search", "takes": ["query"]}
PROGRAMS = {
    "typescript": "return await webSearch({ query: 'news' });",
    "python": "await web_search(query='news')",
}


def send(model: ScriptedModel, body: Any, path: str = "/toy") -> httpx.Response:
    """Send a request to a new server. Step 3, the row, is added here."""
    app = create_app(Settings("scripted"), model, dialects=(*DIALECTS, TOY))

    async def post() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
            return await (http.get(path) if body is None else http.post(path, json=body))

    return asyncio.run(post())


def test_a_toy_dialect_is_served_streamed_and_described() -> None:
    model = ScriptedModel(lambda body: "Because.")
    assert send(model, {"question": "Why?"}).json() == {"text": "Because."}
    streamed = send(model, {"question": "Why?", "stream": True})
    assert streamed.text == 'data: {"text":"Because."}\n\ndata: bye\n\n'
    described = send(model, None, "/openapi.json").json()
    assert described["paths"]["/toy"]["post"]["summary"] == "A toy"


@pytest.mark.parametrize("language", PROGRAMS)
def test_a_program_waits_for_its_call_and_another_server_continues_it(language: str) -> None:
    model = ScriptedModel([ScriptedAnswer(code=PROGRAMS[language]), "All is calm."])
    body = {"question": "What is new?", "tools": [TOOL], "code_mode": {"language": language}}
    (call,) = send(model, body).json()["calls"]
    assert (call["tool"], call["with"]) == ("web_search", {"query": "news"})
    steps = [call, {"answer": "calm", "to": call["call"]}]
    assert send(model, {**body, "steps": steps}).json() == {"text": "All is calm."}
    assert model.seen[0]["tools"][0]["function"]["name"] == f"run_{language}"
    assert model.seen[1]["messages"][-1]["content"] == "Result:\ncalm"


def test_the_calls_of_a_program_are_streamed_with_the_same_ids() -> None:
    model = ScriptedModel([ScriptedAnswer(code=PROGRAMS["typescript"]), "All is calm."])
    body = {"question": "What is new?", "tools": [TOOL], "stream": True}
    first = send(model, body).text
    assert '"tool":"web_search","with":{"query":"news"}' in first
    assert first.endswith("data: bye\n\n")


@pytest.mark.parametrize(
    ("fields", "status", "field", "problem"),
    [
        ({"question": 7}, 422, "question", "'question' is a number, not a string"),
        ({"tools": [{}]}, 422, "tools[0].name", "'tools[0].name' is missing"),
        ({"code_mode": {"max_programs": 0}}, 400, "code_mode.max_programs", "from 1 to 100"),
        (
            {"steps": [{"answer": "calm", "to": "cr1_abc_0_0123456789abcdef"}]},
            400,
            "steps[0].to",
            "the answer to a call that is not in the conversation",
        ),
    ],
    ids=["a field", "a tool", "the mode", "the history"],
)
def test_its_errors_have_its_own_form_and_name_its_fields(
    fields: Any, status: int, field: str, problem: str
) -> None:
    response = send(ScriptedModel([]), {"question": "Why?", **fields})
    error = response.json()
    assert (response.status_code, error["field"]) == (status, field)
    assert problem in error["problem"]
