"""A model that writes its program as text, although it was offered a tool for it."""

import json

import pytest

from coderelay.models.scripted_model import ScriptedAnswer
from tests.gateway.turn_rules.playing import Played, play, request, returns

CALL = "return await webSearch({ query: 'x' });"
TOOL_CALL = json.dumps({"name": "run_typescript", "arguments": {"code": CALL}})


def play_text(written: str, *more: str, piece: int = 16) -> Played:
    """Play a turn in which the model answers with this text, in pieces of this length."""
    return play(request(), written, *more, programs={CALL: returns("found")}, piece=piece)


@pytest.mark.parametrize("piece", [1, 16, 1_000])
@pytest.mark.parametrize(
    "program",
    [
        f"```typescript\n{CALL}\n```",
        f"```ts\n{CALL}\n```\n",
        f"```\n{CALL}\n```",
        f"```ts\n{CALL}\n",
        f"<tool_call>\n{TOOL_CALL}\n</tool_call>",
        f"<tool_call>{TOOL_CALL}",
        "<tool_call>"
        + json.dumps({"name": "run_typescript", "parameters": {"code": CALL}})
        + "</tool_call>",
        "<tool_call>"
        + json.dumps({"name": "run_typescript", "arguments": json.dumps({"code": CALL})})
        + "</tool_call>",
        "<tool_call>\n<function=run_typescript>\n<parameter=code>\n"
        + CALL
        + "\n</parameter>\n</function>\n</tool_call>",
    ],
    ids=["typescript", "ts", "no tag", "cut off", "JSON", "not closed", "parameters",
         "arguments as text", "XML"],
)  # fmt: skip
def test_a_program_in_text_is_run_and_only_the_text_before_it_is_sent(
    program: str, piece: int
) -> None:
    played = play_text(f"I will look.\n{program}", "Found.", piece=piece)
    assert played.last_message["content"] == "Result:\nfound"
    assert played.streamed == "I will look.\nFound."
    assert played.texts == ["Found."]


@pytest.mark.parametrize("piece", [1, 16, 1_000])
@pytest.mark.parametrize(
    "written",
    [
        "Use this:\n```ts\nconst x = 1;\n```",
        "Use this:\n```python\nawait web_search(query='x')\n```",
        f"Use this:\n```ts\n{CALL}\n```\nIt searches.",
        f"```ts\n{CALL}\n```\nor\n```ts\n{CALL}\n```",
        "```ts",
        "A ` and a `` and a < and <tool",
        "<tool_call>nothing",
        "<tool_call>[1]</tool_call>",
        '<tool_call>{"name": 1}</tool_call>',
        "```ts\n" + "x" * 200_000 + f"\n{CALL}\n```",
    ],
    ids=["no tool", "another language", "text after it", "two blocks", "no line", "parts of marks",
         "no JSON", "no object", "no name", "too long"],
)  # fmt: skip
def test_text_that_is_no_program_reaches_the_client_unchanged(written: str, piece: int) -> None:
    if piece == 1 and len(written) > 1_000:
        pytest.skip("a long text in pieces of one letter adds nothing but time")
    played = play_text(written, piece=piece)
    assert played.streamed == written
    assert played.texts == [written]
    assert played.reply.finish == "stop"


def test_an_invalid_call_in_text_is_answered_like_any_other() -> None:
    played = play_text('See: <tool_call>{"name": "nonsense"}</tool_call>', "Sorry.")
    assert "There is no tool 'nonsense'" in played.last_message["content"]
    assert played.streamed == "See: Sorry."
    assert played.texts == ["See: ", "Sorry."]


def test_a_real_call_beside_a_block_counts_and_the_block_is_text() -> None:
    answer = ScriptedAnswer("```ts\nlook\n```", calls=[("run_typescript", {"code": CALL})])
    played = play(request(), answer, "Found.", programs={CALL: returns("found")})
    assert played.last_message["content"] == "Result:\nfound"
    assert played.streamed == "```ts\nlook\n```Found."


def test_a_block_that_the_token_limit_cut_off_is_text() -> None:
    written = f"```ts\n{CALL}"
    played = play(request(), ScriptedAnswer(written, finish="length"))
    assert (played.streamed, played.reply.finish) == (written, "length")


def test_without_an_offer_of_programs_every_text_is_text() -> None:
    written = f"```ts\n{CALL}\n```"
    assert play(request(tool_choice="none"), written).texts == [written]
