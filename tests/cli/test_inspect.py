"""`coderelay inspect` shows everything in whatever carries the state of a program."""

from dataclasses import replace

import pytest

from coderelay.conversation import call_ids
from coderelay.conversation.program_state import FIELDS, ProgramState
from coderelay.core import Call, Program
from coderelay.core.json_values import digest
from coderelay.dialects.anthropic.code_execution import block_id
from coderelay.dialects.chat.code_messages import code_message
from coderelay.dialects.responses.program_items import program_item
from tests.cli.conftest import Cli

STATE = ProgramState(
    Program("python", "await web_search(query='x')", "p1", 1_763_200_000),
    "python-2-abc",
    digest({"query": "x"}),
    (Program("python", "40 + 2", "p0", 5),),
    frozenset({"web_search", "send_mail"}),
)
BESIDE_SOURCE = {
    "block id": block_id(STATE),
    "fingerprint": program_item(STATE)["fingerprint"],
    "state": code_message(STATE)["state"],
}


def test_the_id_of_a_first_call_shows_every_field(cli: Cli) -> None:
    assert set(FIELDS) == {"fingerprint", "arguments", "earlier", "tools"}, "show the new one"
    shown = cli("inspect", call_ids.first_id(STATE))
    assert shown.exit_code == 0
    lines = shown.stdout.splitlines()
    assert f"call 0 of the program p1, arguments digest {STATE.arguments}" in lines
    assert "guest python-2-abc" in lines
    assert "declared tools that it mentions: send_mail, web_search" in lines
    assert "40 + 2" in lines
    assert "python, created 2025-11-15T09:46:40Z" in lines
    assert "await web_search(query='x')" in lines


@pytest.mark.parametrize("text", BESIDE_SOURCE.values(), ids=BESIDE_SOURCE)
def test_a_state_beside_its_source_shows_everything_else(cli: Cli, text: str) -> None:
    shown = cli("inspect", text)
    assert shown.exit_code == 0
    assert shown.stdout.splitlines() == [
        "the program p1",
        "guest python-2-abc",
        "declared tools that it mentions: send_mail, web_search",
        "",
        "python, created 2025-11-15T09:46:40Z",
        "its source is beside this text in the history, with the digest "
        + digest(STATE.program.source),
    ]


def test_the_block_id_of_an_earlier_release_is_shown(cli: Cli) -> None:
    shown = cli("inspect", f"srvtoolu_cr1_p1_5_{digest('1')}").stdout
    assert "the program p1\nguest unknown\ndeclared tools that it mentions: unknown\n" in shown


def test_a_program_that_mentions_no_tool_says_so(cli: Cli) -> None:
    shown = cli("inspect", call_ids.first_id(replace(STATE, tools=frozenset()))).stdout
    assert "declared tools that it mentions: none\n" in shown


def test_the_id_of_a_later_call_names_its_program(cli: Cli) -> None:
    shown = cli("inspect", call_ids.later_id("p1", Call(3, "web_search", {}))).stdout
    assert "call 3 of the program p1" in shown
    assert "inspect that one" in shown


@pytest.mark.parametrize("text", [call_ids.first_id(STATE), *BESIDE_SOURCE.values()])
def test_a_damaged_one_says_what_is_wrong(cli: Cli, text: str) -> None:
    refused = cli("inspect", text[:-8])
    assert refused.exit_code == 2
    assert "cut short" in refused.stderr


@pytest.mark.parametrize("text", ["call_abc", "srvtoolu_01AbC", "toolu_1", "cr1-python-5-0"])
def test_the_id_of_another_server_is_no_error_of_ours(cli: Cli, text: str) -> None:
    refused = cli("inspect", text)
    assert refused.exit_code == 2
    assert "carries no program" in refused.stderr
