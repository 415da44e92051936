"""The items of `input`, read into a conversation.

Chat Completions has one assistant message for what are several items here: words and calls. So
they are collected until something else comes; some clients put the words after the calls.
"""

from collections.abc import Mapping, Sequence

from coderelay.conversation import FieldError, Unsupported
from coderelay.conversation.history_reader import History, ReturnedCall
from coderelay.core import Json
from coderelay.core.json_values import NotJson, dump, kind
from coderelay.dialects.kit.declared_tools import called_directly
from coderelay.dialects.kit.fields import Fields
from coderelay.dialects.kit.history_limits import check_length, parse_arguments
from coderelay.dialects.responses.content import read_content, read_text
from coderelay.dialects.responses.program_items import read_id, read_output, read_program

SEND_BACK = "this server keeps nothing: send all items back in `input`, with `store: false`"

_NO_IMAGE = "and a tool's output can only be text here"
_ROLES = {"user": "user", "system": "system", "developer": "system"}
"""Not every model's endpoint knows developers."""


class InputItems:
    """Reads items in order into a history."""

    def __init__(self, history: History, language: str) -> None:
        self._history = history
        self._language = language
        self._words: list[str] = []
        self._calls: list[ReturnedCall] = []
        self._where = ""

    def read(self, items: Sequence[Json]) -> None:
        """All items of an input."""
        check_length(items, "input")
        for place, item in enumerate(items):
            where = f"input[{place}]"
            self._read(Fields(item, where), where)
        self._flush()

    def _read(self, item: Fields, where: str) -> None:
        match _type(item):
            case "message":
                self._message(item)
            case "function_call":
                self._where = self._where if self._calls else where
                self._calls.append(_call(item))
            case "function_call_output":
                self._flush()
                self._answer(item, where)
            case "reasoning":
                pass  # no endpoint of Chat Completions takes it back
            case "program":
                self._flush()
                program, problem = read_program(item, self._language)
                self._history.begin_program(program, problem=problem)
            case "program_output":
                self._flush()
                self._history.end_program(read_id(item), read_output(item), where=where)
            case "item_reference":
                raise Unsupported(item.path("id"), f"refers to a stored item, and {SEND_BACK}")
            case other:
                reason = f"is {other!r:.60}, which no OpenAI-compatible model takes"
                raise Unsupported(item.path("type"), reason)

    def _message(self, item: Fields) -> None:
        role = item.text("role")
        if role != "assistant" or not self._calls:
            self._flush()
        if role == "assistant":
            self._words.append(read_text(item))
        elif role in _ROLES:
            content = read_content(item)
            self._history.add_message({"role": _ROLES[role], "content": content})
        else:
            known = ", ".join(["assistant", *_ROLES])
            raise Unsupported(item.path("role"), f"is {role!r:.40}: choose one of {known}")

    def _answer(self, item: Fields, where: str) -> None:
        id = item.text("call_id")
        failed = item.flag("is_error", False) or item.text("status", "") == "incomplete"
        text = read_text(item, "output", why=_NO_IMAGE)
        message = {"role": "tool", "tool_call_id": id, "content": text}
        self._history.add_answer(message, id, text, is_error=failed, where=where)

    def _flush(self) -> None:
        """What the assistant said and called since, as the one message it is elsewhere."""
        said, calls = self._words, self._calls
        self._words, self._calls = [], []
        words = "\n\n".join(filter(None, said))
        if calls:
            made = [call.message for call in calls]
            message = {"role": "assistant", "content": words or None, "tool_calls": made}
            self._history.add_calls(message, calls, text=words, where=self._where)
        elif said:
            self._history.add_message({"role": "assistant", "content": words})


def _type(item: Fields) -> str:
    """The type, which a message and a reference may leave out."""
    if item.value.get("type") is None:
        return "message" if "role" in item.value or "id" not in item.value else "item_reference"
    return item.text("type")


def _call(item: Fields) -> ReturnedCall:
    id, name = item.text("call_id"), item.text("name")
    arguments = item.value.get("arguments", "")
    if isinstance(arguments, Mapping):
        try:
            text = dump(arguments)
        except NotJson as error:
            raise FieldError(item.path("arguments"), f"is no JSON: {error}") from error
    elif isinstance(arguments, str):
        text = arguments
    else:
        raise FieldError(item.path("arguments"), f"is {kind(arguments)}, not a string")
    function = {"name": name, "arguments": text or "{}"}
    message = {"id": id, "type": "function", "function": function}
    return ReturnedCall(id, name, parse_arguments(text), message, direct=called_directly(item))
