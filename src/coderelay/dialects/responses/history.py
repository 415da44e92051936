"""Reads the items of `input` into a conversation.

Text and calls of the assistant are separate items here, and one message in Chat Completions. So
they are collected until an item of another kind comes; some clients send the text after the calls.
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

SEND_BACK = "this server is stateless: send all items back in `input`, with `store: false`"

_NO_IMAGE = "and a tool's output may only be text"
_ROLES = {"user": "user", "system": "system", "developer": "system"}
"""The roles for the upstream: `developer` becomes `system`, which every endpoint knows."""


class InputItems:
    """Reads the items of one request into a history."""

    def __init__(self, history: History, language: str) -> None:
        self._history = history
        self._language = language
        self._texts: list[str] = []
        self._calls: list[ReturnedCall] = []
        self._where = ""

    def read(self, items: Sequence[Json]) -> None:
        """Read all items of an input."""
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
                pass  # Chat Completions has no way to send reasoning back
            case "program":
                self._flush()
                state, problem = read_program(item, self._language, self._history.budget)
                self._history.begin_program(state, problem=problem)
            case "program_output":
                self._flush()
                self._history.end_program(read_id(item), read_output(item), where=where)
            case "item_reference":
                raise Unsupported(item.path("id"), f"refers to a stored item, but {SEND_BACK}")
            case other:
                reason = f"is {other!r:.60}, which this server does not support"
                raise Unsupported(item.path("type"), reason)

    def _message(self, item: Fields) -> None:
        role = item.text("role")
        if role != "assistant" or not self._calls:
            self._flush()
        if role == "assistant":
            self._texts.append(read_text(item))
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
        """Add the assistant's text and calls so far to the history, as one message."""
        texts, calls = self._texts, self._calls
        self._texts, self._calls = [], []
        text = "\n\n".join(filter(None, texts))
        if calls:
            made = [call.message for call in calls]
            message = {"role": "assistant", "content": text or None, "tool_calls": made}
            self._history.add_calls(message, calls, text=text, where=self._where)
        elif texts:
            self._history.add_message({"role": "assistant", "content": text})


def _type(item: Fields) -> str:
    """Return an item's type, which messages and references may leave out."""
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
            raise FieldError(item.path("arguments"), f"is not valid JSON: {error}") from error
    elif isinstance(arguments, str):
        text = arguments
    else:
        raise FieldError(item.path("arguments"), f"is {kind(arguments)}, not a string")
    function = {"name": name, "arguments": text or "{}"}
    message = {"id": id, "type": "function", "function": function}
    return ReturnedCall(id, name, parse_arguments(text), message, direct=called_directly(item))
