"""A damaged history is refused with an error that names the wrong id, in every dialect."""

import json
from typing import Any

import pytest

from coderelay.conversation import HistoryError
from coderelay.models.scripted_model import ScriptedAnswer
from tests.dialects.contract.client import SEARCH, Client, Failure, Made, Spec
from tests.dialects.contract.clients import CLIENTS
from tests.dialects.contract.programs import PROGRAMS
from tests.gateway.driving import code, script

Json = Any
clients = pytest.mark.parametrize("client", CLIENTS, ids=str)
plain = pytest.mark.parametrize("client", [c for c in CLIENTS if not c.vendor], ids=str)


def ask(client: Client, history: Json, model: Any) -> Json:
    body = client.body(history, tools=[SEARCH], language=client.languages[0], stream=False)
    return client.ask(body, model)


def opened(client: Client, name: str = "parallel") -> tuple[list[Json], list[Made]]:
    """A history with the first calls of a program, and the calls."""
    history = client.user("What is new?")
    source = PROGRAMS[client.languages[0]][name]
    response = ask(client, history, script(code(source)))
    return client.after(history, response), client.calls(response)


def refused(client: Client, history: Json) -> str:
    """The message of a 400."""
    with pytest.raises(HistoryError) as caught:
        ask(client, history, script())
    status, body, _ = client.dialect.error_body(caught.value)
    assert status == 400
    return str(body["error"]["message"])


@clients
def test_an_unanswered_call_is_named(client: Client) -> None:
    history, (first, second) = opened(client)
    assert second.id in refused(client, client.answered(history, [(first, '"x"')]))


@clients
def test_a_call_answered_twice_is_named(client: Client) -> None:
    history, (first, second) = opened(client)
    answers = [(first, '"x"'), (second, '"y"'), (second, '"z"')]
    message = refused(client, client.answered(history, answers))
    assert second.id in message
    assert "twice" in message


@clients
@pytest.mark.parametrize("id", ["call_zzz", "cr1_id9_7_0123456789abcdef"])
def test_an_answer_to_no_call_is_named(client: Client, id: str) -> None:
    history, calls = opened(client)
    answers = [(made, '"x"') for made in calls]
    stray = Made(id, "web_search", {})
    assert id in refused(client, client.answered(history, [*answers, (stray, '"z"')]))


@plain
def test_a_damaged_id_is_refused(client: Client) -> None:
    history, calls = opened(client)
    history = client.answered(history, [(made, '"x"') for made in calls])
    id = calls[0].id
    broken = id[:60] + ("A" if id[60] != "A" else "B") + id[61:]
    damaged = json.loads(json.dumps(history).replace(id, broken))
    assert "checksum" in refused(client, damaged)


@plain
def test_a_missing_program_of_an_open_block_is_an_error(client: Client) -> None:
    history, calls = opened(client, "twice")
    history = client.answered(history, [(calls[0], '"x"')])
    response = ask(client, history, script())
    rest = client.after(client.user("What is new?"), response)
    history = client.answered(rest, [(made, '"y"') for made in client.calls(response)])
    assert "missing from the history" in refused(client, history)


@clients
def test_results_may_come_in_any_order_and_arguments_do_not_matter_under_our_ids(
    client: Client,
) -> None:
    history, calls = opened(client, "many")
    answers = [(made, f'"{place}"') for place, made in enumerate(calls)]
    ask(client, client.answered(history, answers[::-1]), model := script("", "Done."))
    assert model.seen[-1]["messages"][-1]["content"] == 'Result:\n["0","1","2","3","4"]'


@clients
@pytest.mark.parametrize("some", [True, False], ids=["some results", "no result"])
def test_the_model_is_told_that_the_user_interrupted_a_program(client: Client, some: bool) -> None:
    history, (first, _) = opened(client)
    history = client.answered(history, [(first, '"x"')]) if some else history
    history = [*history, *client.user("Stop.")]
    ask(client, history, model := script("", "Stopped."))
    shown = model.seen[-1]["messages"]
    assert [message["role"] for message in shown] == ["system", "user", "assistant", "tool", "user"]
    assert "interrupted" in shown[3]["content"]
    assert ('web_search({"query":"a"}): x' in shown[3]["content"]) is some
    assert 'web_search({"query":"b"}): no result' in shown[3]["content"]
    assert shown[4]["content"] == "Stop."


@clients
def test_a_request_that_continues_a_program_gets_the_same_ids_when_it_is_sent_again(
    client: Client,
) -> None:
    history, calls = opened(client, "twice")
    history = client.answered(history, [(calls[0], '"x"')])
    once, again = (client.calls(ask(client, history, script())) for _ in range(2))
    assert once == again
    assert once[0].id.startswith("cr1_")


@clients
@pytest.mark.parametrize(
    ("content", "value"),
    [('{"a": 1}', {"a": 1}), ("plain text", "plain text"), ("NaN", "NaN"), ("12", 12), ("", "")],
)
def test_a_tools_answer_becomes_a_value(client: Client, content: str, value: Json) -> None:
    history, (call, *_) = opened(client, "wrapped")
    history = client.answered(history, [(call, content)])
    ask(client, history, model := script("", "Ok."))
    shown = model.seen[-1]["messages"][-1]["content"]
    assert json.loads(shown.removeprefix("Result:\n")) == {"got": value}


@clients
def test_an_uncaught_failure_of_a_tool_goes_to_the_model(client: Client) -> None:
    history, (call, *_) = opened(client, "one")
    history = client.answered(history, [(call, Failure("no luck"))])
    ask(client, history, model := script("", "Ok."))
    shown = model.seen[-1]["messages"][-1]["content"]
    assert shown.startswith("The program failed (exception): ToolError: no luck")


@clients
def test_a_conversation_that_goes_on_without_tools_hides_the_code(client: Client) -> None:
    history, calls = opened(client)
    history = client.answered(history, [(made, '"x"') for made in calls])
    history = client.after(history, ask(client, history, script("", "Done.")))
    history += client.user("And?")
    body = client.body(history, tools=[], language=client.languages[0], stream=False)
    client.ask(body, model := script("", "", "Again."))
    assert "cr1" not in json.dumps(model.seen)
    assert "Again." not in json.dumps(model.seen)


@pytest.mark.parametrize("client", [c for c in CLIENTS if c.vendor and c.name != "chat"], ids=str)
def test_a_direct_call_ends_a_program_whose_end_was_left_out(client: Client) -> None:
    both = Spec("web_search", SEARCH.parameters, ("direct", "programmatic"))
    source = PROGRAMS[client.languages[0]]["one"]
    answers = (code(source), ScriptedAnswer(calls=[("web_search", {"query": "c"})]), "Done.")
    asked: dict[str, Any] = {"tools": [both], "language": client.languages[0], "stream": False}
    history = client.user("What is new?")
    for _ in range(2):
        response = client.ask(client.body(history, **asked), script(*answers))
        history = client.after(history, response)
        history = client.answered(history, [(made, '["x"]') for made in client.calls(response)])
    ends = ("program_output", "code_execution_tool_result")
    history = [
        {**item, "content": [each for each in item["content"] if each["type"] not in ends]}
        if isinstance(item.get("content"), list)
        else item
        for item in history
        if item.get("type") not in ends
    ]
    client.ask(client.body(history, **asked), model := script(*answers))
    shown = [message["content"] for message in model.seen[-1]["messages"][2:]]
    assert shown == [None, "Result:\nx", None, '["x"]']
