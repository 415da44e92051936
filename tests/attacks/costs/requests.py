"""What it costs to read a request, whatever its history is made of."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from coderelay.conversation import call_ids
from coderelay.conversation.outcome_text import outcome_from_text
from coderelay.conversation.program_state import ProgramState
from coderelay.conversation.state_text import InflateBudget
from coderelay.core import Program, RequestError
from coderelay.dialects import anthropic, chat, responses
from coderelay.dialects.kit.code_mode import Defaults
from tests.attacks.costs import Case

MESSAGES = 6_000
CHAT = "dialects.chat.decode"
ANTHROPIC = "dialects.anthropic.decode"
RESPONSES = "dialects.responses.decode"

FIRST = call_ids.first_id(ProgramState(Program("python", "1", "p"), "", "0" * 16))


def read(decode: Callable[[Any, Defaults], object]) -> Callable[[Any], None]:
    """Read a request, which may be refused in the end."""

    def work(body: Any) -> None:
        with suppress(RequestError):
            decode(body, Defaults())

    return work


def chat_call(id: str) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}}


def chat_messages(*pattern: dict[str, Any]) -> Callable[[int], Any]:
    """A history of so many messages: a program's first call, then a pattern again and again."""
    first = {"role": "assistant", "tool_calls": [chat_call(FIRST)]}
    return lambda size: {"model": "m", "messages": [first, *pattern * (size // len(pattern))]}


def chat_calls(size: int) -> Any:
    calls = [chat_call(f"cr1_p_{each}_{0:016x}") for each in range(size)]
    answers = [{"role": "tool", "tool_call_id": each["id"], "content": "1"} for each in calls]
    first = chat_call(FIRST)
    return {
        "model": "m",
        "messages": [{"role": "assistant", "tool_calls": [first, *calls]}, *answers],
    }


def anthropic_blocks(size: int) -> Any:
    calls = [
        {"type": "tool_use", "id": f"cr1_p_{each}_{0:016x}", "name": "f", "input": {}}
        for each in range(size)
    ]
    answers = [{"type": "tool_result", "tool_use_id": each["id"], "content": "1"} for each in calls]
    history = [{"role": "assistant", "content": calls}, {"role": "user", "content": answers}]
    return {"model": "m", "max_tokens": 1, "messages": history}


def responses_items(size: int) -> Any:
    calls = [
        {
            "type": "function_call",
            "call_id": f"cr1_p_{each}_{0:016x}",
            "name": "f",
            "arguments": "{}",
        }
        for each in range(size // 2)
    ]
    answers = [
        {"type": "function_call_output", "call_id": each["call_id"], "output": "1"}
        for each in calls
    ]
    return {"model": "m", "input": [*calls, *answers]}


USER = {"role": "user", "content": "x"}
ANSWER = {"role": "tool", "tool_call_id": FIRST, "content": "1"}
STRAY = {"role": "tool", "tool_call_id": "cr1_p_7_0123456789abcdef", "content": "1"}
SPOKEN = {"role": "assistant", "content": "x"}
SAME = {"role": "assistant", "tool_calls": [chat_call(FIRST)]}

CASES = (
    Case(CHAT, "many calls and answers", MESSAGES, chat_calls, read(chat.decode)),
    Case(CHAT, "questions and answers", MESSAGES, chat_messages(USER, ANSWER), read(chat.decode)),
    Case(CHAT, "questions", MESSAGES, chat_messages(USER), read(chat.decode)),
    Case(CHAT, "answers to nothing", MESSAGES, chat_messages(STRAY), read(chat.decode)),
    Case(
        CHAT, "programs again and again", MESSAGES, chat_messages(SAME, SPOKEN), read(chat.decode)
    ),
    Case(ANTHROPIC, "many calls and answers", MESSAGES, anthropic_blocks, read(anthropic.decode)),
    Case(RESPONSES, "many calls and answers", MESSAGES, responses_items, read(responses.decode)),
    Case(
        "conversation.call_ids.decode",
        "an id that unpacks to a thousand times its length",
        480_000,
        lambda size: call_ids.first_id(ProgramState(Program("python", "#" * size), "", "0" * 16)),
        lambda text: call_ids.decode(text, InflateBudget()),
    ),
    Case(
        "conversation.outcome_text.outcome_from_text",
        "a kind that does not end",
        1_000_000,
        lambda size: "The program failed (" + "a" * size,
        lambda text: outcome_from_text(text, failed=True),
    ),
)
