"""The messages of a conversation, in a request and in `Agent.messages`.

Between a `code` message and its `code_result` there are only assistant messages with tool calls,
and tool messages:

    user · code · assistant(tool_calls) · tool · tool · code_result · assistant
"""

from contextlib import suppress
from typing import Literal, NotRequired, TypeAlias, TypedDict

from coderelay.core import Call, Json
from coderelay.core.json_values import NotJson
from coderelay.wire import parse


class SystemMessage(TypedDict):
    """Instructions for the model, before all other messages."""

    role: Literal["system"]
    content: str


class UserMessage(TypedDict):
    """A message of the user: text, or content parts as Chat Completions has them."""

    role: Literal["user"]
    content: str | list[Json]


class FunctionCall(TypedDict):
    """The tool that is called, with its arguments as JSON text."""

    name: str
    arguments: str


class MessageCall(TypedDict):
    """A call that the client answers with a `tool` message of the same id."""

    id: str
    type: Literal["function"]
    function: FunctionCall


class AssistantMessage(TypedDict):
    """The model's text, or the calls of a batch."""

    role: Literal["assistant"]
    content: str | None
    tool_calls: NotRequired[list[MessageCall]]


class ToolMessage(TypedDict):
    """The answer to a call. With `is_error`, the call raises in the program."""

    role: Literal["tool"]
    tool_call_id: str
    content: str
    is_error: NotRequired[bool]


class CodeMessage(TypedDict):
    """A program that the model wrote. `created` is in seconds since 1970."""

    role: Literal["code"]
    id: str
    code: str
    language: NotRequired[str]
    created: NotRequired[int]


class CodeError(TypedDict):
    """Why a program failed. Fields that are not known are left out."""

    kind: str
    message: str
    name: NotRequired[str]
    limit: NotRequired[str]
    line: NotRequired[int]
    column: NotRequired[int]
    stack: NotRequired[str]
    frame: NotRequired[str]


class CodeSuccess(TypedDict):
    """The value that the program returned."""

    status: Literal["success"]
    data: Json


class CodeFailure(TypedDict):
    """The error with which the program ended."""

    status: Literal["error"]
    error: CodeError


class CodeResultMessage(TypedDict):
    """How the program with this id ended, and what it logged."""

    role: Literal["code_result"]
    id: str
    result: CodeSuccess | CodeFailure
    logs: NotRequired[list[str]]


Message: TypeAlias = (
    SystemMessage | UserMessage | AssistantMessage | ToolMessage | CodeMessage | CodeResultMessage
)


def as_call(index: int, call: MessageCall) -> Call:
    """The call in a message. Arguments that are not JSON stay a text, which no tool accepts, so
    that the model is told what is wrong with them."""
    function = call["function"]
    arguments: Json = function["arguments"] or "{}"
    with suppress(NotJson):
        arguments = parse(arguments)
    return Call(index, function["name"], arguments)
