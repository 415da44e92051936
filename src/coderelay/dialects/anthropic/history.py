"""Reads the messages of the Anthropic API into a conversation, block by block.

Consecutive messages of one role are treated as one message, as in that API. In a user message, tool
results come first and everything else after them, because upstreams accept nothing between a call
and its answer. Pictures in a tool result also come after it, because an answer in Chat Completions
is text.
"""

from collections.abc import Sequence
from itertools import groupby

from coderelay.conversation import FieldError, Message, Unsupported
from coderelay.conversation.history_reader import History, ReturnedCall
from coderelay.core import Json
from coderelay.core.json_values import NotJson, dump
from coderelay.dialects.anthropic.code_execution import (
    RESULT,
    program_id,
    read_program,
    read_result,
)
from coderelay.dialects.anthropic.content import as_content, blocks, parts
from coderelay.dialects.kit.declared_tools import called_directly
from coderelay.dialects.kit.fields import Fields
from coderelay.dialects.kit.history_limits import check_length

MOST_BLOCKS = 30_000
"""How many blocks all messages of a history together may have."""
_SEEN_LATER = "[not text: shown to the model after this]"
_REASONING = ("thinking", "redacted_thinking")


def read_system(fields: Fields, history: History) -> None:
    """Read the system prompt, which is a field of the request, into a history."""
    prompt = parts(blocks(fields.value.get("system") or "", "system"))
    if prompt:
        history.add_message({"role": "system", "content": as_content(prompt)})


def read_messages(messages: Sequence[Json], history: History) -> None:
    """Read all messages into a history."""
    check_length(messages, "messages")
    all_fields = [Fields(message, f"messages[{place}]") for place, message in enumerate(messages)]
    contents = [each.value.get("content") for each in all_fields]
    check_length(
        [block for each in contents if isinstance(each, list) for block in each],
        "messages[].content",
        most=MOST_BLOCKS,
    )
    last_user = max((place for place, each in enumerate(all_fields) if _is_user(each)), default=0)
    for role, turn in groupby(enumerate(all_fields), lambda each: each[1].text("role")):
        group = [(place, fields, _blocks(fields)) for place, fields in turn]
        match role:
            case "user":
                _user([found for _, _, found in group], history, group[0][1].path("content"))
            case "assistant":
                message = _AssistantBlocks(history, group[0][1].path("content"))
                message.read([block for _, _, found in group for block in found])
            case "system":
                for place, fields, found in group:
                    _system(fields, found, history, last=place > last_user)
            case other:
                reason = f"is {other!r:.40}: choose 'user', 'assistant' or 'system'"
                raise Unsupported(group[0][1].path("role"), reason)


def _blocks(fields: Fields) -> list[Fields]:
    return blocks(fields.value.get("content"), fields.path("content"))


def _is_user(fields: Fields) -> bool:
    return fields.value.get("role") == "user"


def _system(fields: Fields, found: list[Fields], history: History, *, last: bool) -> None:
    """Read instructions among the messages. Those with `clear_at` are dropped once the user has
    written again."""
    if fields.value.get("output_config"):
        reason = "cannot change within a conversation: set it in the request"
        raise Unsupported(fields.path("output_config"), reason)
    if last or fields.text("clear_at", "never") == "never":
        history.add_message({"role": "system", "content": as_content(parts(found))})


def _user(turn: list[list[Fields]], history: History, where: str) -> None:
    """Read the user messages between two assistant messages."""
    results = [block for found in turn for block in found if _is_result(block)]
    pictures: list[Message] = []
    for block in results:
        pictures += _answer(block, history, where)
    if pictures:
        history.add_remark({"role": "user", "content": pictures})
    for found in turn:
        written = parts([block for block in found if not _is_result(block)])
        if written or not results:
            history.add_user_text({"role": "user", "content": as_content(written)})


def _is_result(block: Fields) -> bool:
    return block.text("type") == "tool_result"


def _answer(block: Fields, history: History, where: str) -> list[Message]:
    """Read a tool result, and return its parts that are not text."""
    id = block.text("tool_use_id")
    content = block.value.get("content")
    found = parts(blocks(content or "", block.path("content")))
    text = "".join(part["text"] for part in found if part["type"] == "text")
    pictures = [part for part in found if part["type"] != "text"]
    if pictures and not text:
        text = _SEEN_LATER
    message = {"role": "tool", "tool_call_id": id, "content": text}
    answer = None if content is None else text
    history.add_answer(message, id, answer, is_error=block.flag("is_error", False), where=where)
    return pictures


class _AssistantBlocks:
    """Reads the blocks of one assistant message: text, calls, programs and their results."""

    def __init__(self, history: History, where: str) -> None:
        self._history = history
        self._where = where
        self._texts: list[str] = []
        self._calls: list[ReturnedCall] = []

    def read(self, blocks: Sequence[Fields]) -> None:
        """Read all blocks into the history."""
        for block in blocks:
            match block.text("type"):
                case "text":
                    self._texts.append(block.text("text"))
                case "tool_use":
                    self._calls.append(_call(block))
                case "server_tool_use":
                    self._flush()
                    state, problem = read_program(block, self._history.budget)
                    self._history.begin_program(state, problem=problem)
                case type if type == RESULT:
                    self._flush()
                    id = program_id(block.text("tool_use_id"), self._history.budget)
                    self._history.end_program(id, read_result(block), where=self._where)
                case type if type in _REASONING:
                    pass
                case other:
                    reason = f"is {other!r:.60}, which this server does not support"
                    raise Unsupported(block.path("type"), reason)
        self._flush()

    def _flush(self) -> None:
        """Add the text and calls so far to the history, as one message."""
        text = "\n\n".join(filter(None, self._texts))
        message: dict[str, Json] = {"role": "assistant", "content": text}
        if self._calls:
            message["content"] = text or None
            self._history.add_calls(message, self._calls, text=text, where=self._where)
        elif text:
            self._history.add_message(message)
        self._texts, self._calls = [], []


def _call(block: Fields) -> ReturnedCall:
    id, name = block.text("id"), block.text("name")
    arguments = block.inner("input", {}).value
    try:
        function = {"name": name, "arguments": dump(arguments)}
    except NotJson as error:
        raise FieldError(block.path("input"), f"is not valid JSON: {error}") from error
    message = {"id": id, "type": "function", "function": function}
    return ReturnedCall(id, name, arguments, message, direct=called_directly(block))
