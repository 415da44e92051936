"""A conversation has the same course in every API."""

import json
from itertools import pairwise
from typing import Any

import pytest

from coderelay.conversation import Unsupported
from coderelay.models.scripted_model import ScriptedAnswer
from tests.dialects.contract.anthropic_client import AnthropicClient
from tests.dialects.contract.client import SEARCH, Client, Conversation, Spec
from tests.dialects.contract.clients import CLIENTS, SPOKEN
from tests.dialects.contract.programs import FUNCTIONS, PROGRAMS
from tests.dialects.contract.responses_client import ResponsesClient
from tests.gateway.driving import code, script

Json = Any
BOTH_WAYS = Spec("web_search", SEARCH.parameters, ("direct", "programmatic"))

spoken = pytest.mark.parametrize(("client", "language"), SPOKEN, ids=str)
clients = pytest.mark.parametrize("client", CLIENTS, ids=str)
streamed = pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])


def converse(
    client: Client, model: Any, language: str, *, history: Json = None, **more: Any
) -> Conversation:
    asked: dict[str, Any] = {"tools": [SEARCH], "language": language, "stream": False, **more}
    return client.converse(history or client.user("What is new?"), model, FUNCTIONS, **asked)


def sizes(conversation: Conversation) -> list[int]:
    return [len(batch) for batch in conversation.batches]


def contents(model: Any) -> list[Json]:
    return [message["content"] for message in model.seen[-1]["messages"][1:]]


def roles(model: Any) -> list[str]:
    return [message["role"] for message in model.seen[-1]["messages"]]


@streamed
@spoken
def test_parallel_calls_come_at_once(client: Client, language: str, stream: bool) -> None:
    source = PROGRAMS[language]["parallel"]
    model = script(code(source, "Let me look."), "Two things.")
    conversation = converse(client, model, language, stream=stream)
    assert sizes(conversation) == [2]
    assert conversation.texts == ["Let me look.", "Two things."]
    assert [made.arguments for made in conversation.batches[0]] == [{"query": "a"}, {"query": "b"}]
    call, answer = model.seen[1]["messages"][2:]
    assert call["content"] == "Let me look."
    function = call["tool_calls"][0]["function"]
    assert function["name"] == f"run_{language}"
    assert json.loads(function["arguments"]) == {"code": source}
    assert answer["content"] == 'Result:\n[["a"],["b"]]'
    assert roles(model) == ["system", "user", "assistant", "tool"]
    offered = [tool["function"]["name"] for tool in model.seen[0]["tools"]]
    assert offered == [f"run_{language}"]


@streamed
@spoken
def test_calls_that_wait_for_each_other_come_one_by_one_and_a_failed_tool_raises(
    client: Client, language: str, stream: bool
) -> None:
    model = script(code(PROGRAMS[language]["loop"]), "Done.")
    conversation = converse(client, model, language, stream=stream)
    assert sizes(conversation) == [1, 1, 1]
    assert contents(model)[-1] == 'Result:\n[["a"],"no luck",["c"]]'


@streamed
@clients
def test_the_client_can_ask_for_one_call_at_a_time(client: Client, stream: bool) -> None:
    language = client.languages[0]
    model = script(code(PROGRAMS[language]["parallel"]), "Done.")
    conversation = converse(client, model, language, stream=stream, parallel=False)
    assert sizes(conversation) == [1, 1]
    assert contents(model)[-1] == 'Result:\n[["a"],["b"]]'


@streamed
@spoken
def test_several_programs_in_a_turn_and_a_follow_up_question_that_sees_them_all(
    client: Client, language: str, stream: bool
) -> None:
    source = PROGRAMS[language]
    model = script(
        code(source["broken"], "First."),
        code(source["silent"]),
        code(source["one"], "Again."),
        "It is x.",
        code(source["one"]),
        "Still x.",
    )
    conversation = converse(client, model, language, stream=stream)
    assert sizes(conversation) == [1]
    history = [*conversation.history, *client.user("Sure?")]
    conversation = converse(client, model, language, stream=stream, history=history)
    assert conversation.texts[-1] == "Still x."
    block = ["assistant", "tool"]
    assert roles(model) == ["system", "user", *block * 3, "assistant", "user", *block]
    told = contents(model)
    assert "The program failed (exception)" in told[2]
    assert told[4] == "Result:\n42"
    assert told[6] == told[10] == "Result:\nx"
    assert told[7:9] == ["It is x.", "Sure?"]


@streamed
@spoken
def test_a_program_without_calls_ends_in_the_same_response(
    client: Client, language: str, stream: bool
) -> None:
    model = script(code(PROGRAMS[language]["silent"]), "Forty-two.")
    conversation = converse(client, model, language, stream=stream)
    assert sizes(conversation) == []
    assert conversation.texts == ["Forty-two."]
    assert contents(model)[-1] == "Result:\n42"


@streamed
@spoken
def test_output_and_log_reach_the_model(client: Client, language: str, stream: bool) -> None:
    model = script(code(PROGRAMS[language]["output"]), "Seen.")
    converse(client, model, language, stream=stream)
    for line in ("first", '{"n":2}', "aside"):
        assert line in contents(model)[-1]


@streamed
@clients
def test_what_the_model_was_shown_is_a_prefix_of_what_it_is_shown_next(
    client: Client, stream: bool
) -> None:
    """Otherwise no provider's prompt cache holds."""
    language = client.languages[0]
    source = PROGRAMS[language]
    beside = "Hm." if client.vendor else ""  # plain ids carry earlier programs without their words
    answers = [code(source[name], beside) for name in ("broken", "output", "silent")]
    answers += [code(source["parallel"], "Now."), code(source["loop"])]
    model = script(*answers, "One.", code(source["twice"], "More."), "Two.")
    conversation = converse(client, model, language, stream=stream)
    history = [*conversation.history, *client.user("And?")]
    converse(client, model, language, stream=stream, history=history)
    seen = [json.dumps(body["messages"])[1:-1] for body in model.seen]
    assert len(seen) == 8
    for before, after in pairwise(seen):
        assert after.startswith(before)


@spoken
@pytest.mark.parametrize("beside", ["", " \n\n"], ids=repr)
@pytest.mark.parametrize("name", ["empty", "blank", "fails"])
def test_an_almost_empty_outcome_is_shown_unchanged(
    client: Client, language: str, name: str, beside: str
) -> None:
    source = PROGRAMS[language]
    model = script(code(source["one"], beside), code(source[name], beside), "One.", "Two.")
    conversation = converse(client, model, language)
    converse(client, model, language, history=[*conversation.history, *client.user("And?")])
    before, after = (body["messages"][2:] for body in model.seen[-2:])
    kept = 4 if client.vendor else 2  # plain histories have no place for a program without calls
    assert after[:kept] == before[:kept]
    assert len(after) == kept + 2


@streamed
@clients
def test_a_tool_that_allows_it_is_called_directly(client: Client, stream: bool) -> None:
    calls = [("web_search", {"query": "a"}), ("web_search", {"query": "b"})]
    model = script(ScriptedAnswer("I call.", calls=calls), "Done.")
    conversation = converse(client, model, client.languages[0], stream=stream, tools=[BOTH_WAYS])
    assert sizes(conversation) == [2]
    assert not any(made.id.startswith("cr1_") for made in conversation.batches[0])
    assert roles(model) == ["system", "user", "assistant", "tool", "tool"]
    assistant, *answers = model.seen[-1]["messages"][2:]
    assert assistant["content"] == "I call."
    assert [json.loads(call["function"]["arguments"]) for call in assistant["tool_calls"]] == [
        {"query": "a"},
        {"query": "b"},
    ]
    assert [answer["content"] for answer in answers] == ['["a"]', '["b"]']
    assert [answer["tool_call_id"] for answer in answers] == [
        call["id"] for call in assistant["tool_calls"]
    ]


@clients
def test_direct_calls_and_programs_may_follow_each_other(client: Client) -> None:
    language = client.languages[0]
    model = script(
        ScriptedAnswer(calls=[("web_search", {"query": "a"})]),
        code(PROGRAMS[language]["one"]),
        ScriptedAnswer(calls=[("web_search", {"query": "c"})]),
        "Done.",
    )
    conversation = converse(client, model, language, tools=[BOTH_WAYS])
    assert sizes(conversation) == [1, 1, 1]
    assert contents(model)[1:] == [None, '["a"]', None, "Result:\nx", None, '["c"]']


@clients
def test_tool_choice_none_offers_no_tools(client: Client) -> None:
    model = script("Words.")
    converse(client, model, client.languages[0], choice="none")
    asked = model.seen[0]
    assert not asked.get("tools") or asked["tool_choice"] == "none"
    assert roles(model) == ["user"]


@clients
def test_a_required_choice_is_met_by_one_program(client: Client) -> None:
    language = client.languages[0]
    model = script(code(PROGRAMS[language]["one"]), "Done.")
    converse(client, model, language, choice="required")
    assert [body["tool_choice"] for body in model.seen] == ["required", "auto"]


@clients
def test_a_choice_of_a_tool_makes_it_direct(client: Client) -> None:
    model = script(ScriptedAnswer(calls=[("web_search", {"query": "a"})]), "Done.")
    converse(client, model, client.languages[0], choice={"name": "web_search"})
    chosen = {"type": "function", "function": {"name": "web_search"}}
    assert model.seen[0]["tool_choice"] == chosen
    assert chosen["function"]["name"] in [  # type: ignore[index]
        tool["function"]["name"] for tool in model.seen[0]["tools"]
    ]


@pytest.mark.parametrize(
    ("client", "choice"),
    [
        (ResponsesClient(vendor=True), {"type": "programmatic_tool_calling"}),
        (AnthropicClient(vendor=True), {"name": "code_execution"}),
    ],
    ids=str,
)
def test_after_a_chosen_program_has_run_all_tools_are_offered(client: Client, choice: Json) -> None:
    language = client.languages[0]
    direct = ScriptedAnswer(calls=[("web_search", {"query": "a"})])
    model = script(code(PROGRAMS[language]["one"]), direct, "Done.")
    conversation = converse(client, model, language, tools=[BOTH_WAYS], choice=choice)
    assert sizes(conversation) == [1, 1]
    offered = [[tool["function"]["name"] for tool in body["tools"]] for body in model.seen]
    assert offered == [[f"run_{language}"], *[[f"run_{language}", "web_search"]] * 2]
    assert [body["tool_choice"] for body in model.seen] == ["required", "auto", "auto"]


@streamed
@clients
def test_nothing_of_ours_goes_upstream(client: Client, stream: bool) -> None:
    language = client.languages[0]
    source = PROGRAMS[language]
    model = script(code(source["twice"]), "One.", code(source["parallel"]), "Two.")
    conversation = converse(client, model, language, stream=stream)
    history = [*conversation.history, *client.user("And?")]
    converse(client, model, language, history=history, stream=stream)
    assert "cr1" not in json.dumps([body["messages"] for body in model.seen])


@clients
def test_a_receipt_says_what_was_done(client: Client) -> None:
    language = client.languages[0]
    body = client.body(
        client.user("Go."), tools=[SEARCH], language=language, stream=False, receipt=True
    )
    response = client.ask(body, script(code(PROGRAMS[language]["silent"]), "Done."))
    receipt = response["code_mode"]["receipt"]
    assert (receipt["programs"], receipt["model_calls"], receipt["calls"]) == (1, 2, 0)


@streamed
@clients
def test_a_refusal_is_sent_as_one_and_stays_in_the_history_as_text(
    client: Client, stream: bool
) -> None:
    model = script(ScriptedAnswer(refusal="I will not do that."), "Sorry.")
    asked: dict[str, Any] = {"tools": [SEARCH], "language": client.languages[0], "stream": stream}
    history = client.user("Do harm.")
    response = client.ask(client.body(history, **asked), model)
    assert client.refusal(response) == "I will not do that."
    history = [*client.after(history, response), *client.user("Why?")]
    response = client.ask(client.body(history, **asked), model)
    assert client.refusal(response) is None
    assert client.text(response) == "Sorry."
    assert "I will not do that." in json.dumps(model.seen[-1]["messages"][2])


@clients
def test_a_direct_tool_may_not_be_named_like_the_code_tool(client: Client) -> None:
    language = client.languages[0]
    twin = Spec(f"run_{language}", SEARCH.parameters, ("direct", "programmatic"))
    with pytest.raises(Unsupported, match=twin.name) as refused:
        converse(client, script("Never."), language, tools=[twin])
    status, body, _ = client.dialect.error_body(refused.value)
    assert status == 400
    assert "rename" in body["error"]["message"]
