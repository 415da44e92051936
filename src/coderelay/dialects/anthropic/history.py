"""The messages of the Anthropic API. What stands in one of them as blocks is told one by one:
words, programs, calls, answers.

Messages of one role that follow each other are one turn, as in that API. In a turn tool results
come first and all else after them, since an upstream takes nothing between a call and its answer.
Pictures in a result are shown after it, too: an answer in Chat Completions is text.
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
from coderelay.dialects.anthropic.content import blocks, parts, shown
from coderelay.dialects.kit.declared_tools import called_directly
from coderelay.dialects.kit.fields import Fields
from coderelay.dialects.kit.history_limits import check_length

MOST_BLOCKS = 30_000
"""Blocks that all messages of a history may have."""
_SEEN_LATER = "[not text: shown to the model after this]"
_THOUGHTS = ("thinking", "redacted_thinking")


def read_system(fields: Fields, history: History) -> None:
    """The system prompt, which stands beside the messages."""
    said = parts(blocks(fields.value.get("system") or "", "system"))
    if said:
        history.add_message({"role": "system", "content": shown(said)})


def read_messages(messages: Sequence[Json], history: History) -> None:
    """Read all messages into a history."""
    check_length(messages, "messages")
    told = [Fields(message, f"messages[{place}]") for place, message in enumerate(messages)]
    contents = [each.value.get("content") for each in told]
    check_length(
        [block for each in contents if isinstance(each, list) for block in each],
        "messages[].content",
        most=MOST_BLOCKS,
    )
    asked = max((place for place, each in enumerate(told) if _is_user(each)), default=0)
    for role, turn in groupby(enumerate(told), lambda each: each[1].text("role")):
        group = [(place, fields, _blocks(fields)) for place, fields in turn]
        match role:
            case "user":
                _user([given for _, _, given in group], history, group[0][1].path("content"))
            case "assistant":
                speech = _Speech(history, group[0][1].path("content"))
                speech.read([block for _, _, given in group for block in given])
            case "system":
                for place, fields, given in group:
                    _system(fields, given, history, last=place > asked)
            case other:
                reason = f"is {other!r:.40}: choose 'user', 'assistant' or 'system'"
                raise Unsupported(group[0][1].path("role"), reason)


def _blocks(fields: Fields) -> list[Fields]:
    return blocks(fields.value.get("content"), fields.path("content"))


def _is_user(fields: Fields) -> bool:
    return fields.value.get("role") == "user"


def _system(fields: Fields, given: list[Fields], history: History, *, last: bool) -> None:
    """Instructions among the messages. Some hold only until the person speaks again."""
    if fields.value.get("output_config"):
        raise Unsupported(fields.path("output_config"), "cannot change within a conversation")
    if last or fields.text("clear_at", "never") == "never":
        history.add_message({"role": "system", "content": shown(parts(given))})


def _user(turn: list[list[Fields]], history: History, where: str) -> None:
    """What a person and the tools said between two messages of the assistant."""
    results = [block for given in turn for block in given if _is_result(block)]
    pictures: list[Message] = []
    for block in results:
        pictures += _answer(block, history, where)
    if pictures:
        history.add_remark({"role": "user", "content": pictures})
    for given in turn:
        said = parts([block for block in given if not _is_result(block)])
        if said or not results:
            history.add_user_text({"role": "user", "content": shown(said)})


def _is_result(block: Fields) -> bool:
    return block.text("type") == "tool_result"


def _answer(block: Fields, history: History, where: str) -> list[Message]:
    """Tell of an answer; what of it is not text is returned."""
    id = block.text("tool_use_id")
    content = block.value.get("content")
    found = parts(blocks(content or "", block.path("content")))
    text = "".join(part["text"] for part in found if part["type"] == "text")
    pictures = [part for part in found if part["type"] != "text"]
    if pictures and not text:
        text = _SEEN_LATER
    message = {"role": "tool", "tool_call_id": id, "content": text}
    told = None if content is None else text
    history.add_answer(message, id, told, is_error=block.flag("is_error", False), where=where)
    return pictures


class _Speech:
    """What an assistant said, did and was told in one message."""

    def __init__(self, history: History, where: str) -> None:
        self._history = history
        self._where = where
        self._texts: list[str] = []
        self._calls: list[ReturnedCall] = []

    def read(self, given: Sequence[Fields]) -> None:
        """Tell of each block."""
        for block in given:
            match block.text("type"):
                case "text":
                    self._texts.append(block.text("text"))
                case "tool_use":
                    self._calls.append(_call(block))
                case "server_tool_use":
                    self._tell()
                    program, problem = read_program(block)
                    self._history.begin_program(program, problem=problem)
                case type if type == RESULT:
                    self._tell()
                    id = program_id(block.text("tool_use_id"))
                    self._history.end_program(id, read_result(block), where=self._where)
                case type if type in _THOUGHTS:
                    pass
                case other:
                    reason = f"is {other!r:.60}, which cannot be shown to the model"
                    raise Unsupported(block.path("type"), reason)
        self._tell()

    def _tell(self) -> None:
        """Tell of the words and calls so far."""
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
        raise FieldError(block.path("input"), f"is no JSON: {error}") from error
    message = {"id": id, "type": "function", "function": function}
    return ReturnedCall(id, name, arguments, message, direct=called_directly(block))
