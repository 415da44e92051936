"""The messages of Chat Completions, and the two roles that the `messages` protocol adds."""

from collections.abc import Mapping, Sequence

from coderelay.conversation import FieldError, Message
from coderelay.conversation.history_reader import History, ReturnedCall
from coderelay.core import Completed, Failed, Failure, Json, Log
from coderelay.core.json_values import NotJson, dump, kind
from coderelay.core.outcome import FailureKind
from coderelay.dialects.chat.code_messages import read_code
from coderelay.dialects.kit.fields import Fields
from coderelay.dialects.kit.history_limits import check_length, parse_arguments

_KINDS: tuple[FailureKind, ...] = ("syntax", "exception", "limit", "arguments", "deadlock")


def read_messages(messages: Sequence[Json], history: History, *, language: str) -> None:
    """Read all messages into a history. `language` is the default for programs without one."""
    check_length(messages, "messages")
    for place, message in enumerate(messages):
        where = f"messages[{place}]"
        fields = Fields(message, where)
        match fields.text("role"):
            case "code":
                state, problem = read_code(fields, language, history.budget)
                history.begin_program(state, problem=problem)
            case "code_result":
                history.end_program(fields.text("id"), _outcome(fields), where=where)
            case "assistant" if fields.value.get(_calls_name(fields)):
                _calls(fields, history, where)
            case "tool":
                _answer(fields, history, where)
            case _:
                history.add_message(fields.value)


def _outcome(fields: Fields) -> Completed | Failed:
    result = fields.inner("result")
    lines = fields.items("logs", [])
    for place, line in enumerate(lines):
        if not isinstance(line, str):
            raise FieldError(fields.path(f"logs[{place}]"), f"is {kind(line)}, not a string")
    logs = tuple(Log("log", line) for line in lines)
    match result.text("status"):
        case "success":
            return Completed(result.value.get("data"), logs)
        case "error":
            return Failed(_failure(result.inner("error")), logs)
        case other:
            reason = f"must be 'success' or 'error', not {other!r:.40}"
            raise FieldError(result.path("status"), reason)


def _failure(error: Fields) -> Failure:
    kind = error.text("kind", "exception")
    line, column = error.number("line", 0), error.number("column", 0)
    return Failure(
        next((each for each in _KINDS if each == kind), "exception"),
        error.text("message", ""),
        name=error.text("name", ""),
        limit=error.text("limit", "") or None,
        line=line or None,
        column=column or None,
        stack=error.text("stack", ""),
        frame=error.text("frame", ""),
        calls=error.text("calls", ""),
    )


def _calls_name(fields: Fields) -> str:
    return fields.spelling("tool_calls", "toolCalls")


def _calls(fields: Fields, history: History, where: str) -> None:
    name = _calls_name(fields)
    calls = [
        _call(Fields(item, fields.path(f"{name}[{place}]")))
        for place, item in enumerate(fields.items(name))
    ]
    message = {key: value for key, value in fields.value.items() if key != "toolCalls"}
    text = _joined(fields.value.get("content"), fields.path("content")) or ""
    history.add_calls(message, calls, text=text, where=where)


def _call(fields: Fields) -> ReturnedCall:
    id = fields.text("id")
    if fields.value.get("type", "function") != "function":
        return ReturnedCall(id, "", None, fields.value)
    function = fields.inner("function")
    name = function.text("name")
    arguments = function.value.get("arguments")
    if isinstance(arguments, str):
        return ReturnedCall(id, name, parse_arguments(arguments), fields.value)
    if arguments is not None and not isinstance(arguments, Mapping):
        reason = f"is {kind(arguments)}, not a JSON string or an object"
        raise FieldError(function.path("arguments"), reason)
    arguments = dict(arguments or {})
    try:
        written = {**function.value, "arguments": dump(arguments)}
    except NotJson as error:
        raise FieldError(function.path("arguments"), f"is not valid JSON: {error}") from error
    return ReturnedCall(id, name, arguments, {**fields.value, "function": written})


def _answer(fields: Fields, history: History, where: str) -> None:
    id = fields.text(fields.spelling("tool_call_id", "toolCallId"))
    is_error = fields.flag(fields.spelling("is_error", "isError"), False)
    if "content" not in fields.value:
        raise FieldError(fields.path("content"), "is missing")
    content = fields.value["content"]
    own = ("toolCallId", "is_error", "isError")
    message: Message = fields.value
    if any(name in message for name in own):
        rest = {key: value for key, value in message.items() if key not in own}
        message = {**rest, "tool_call_id": id}
    text = _joined(content, fields.path("content"), strict=history.awaits(id))
    history.add_answer(message, id, text, is_error=is_error, where=where)


def _joined(content: Json, path: str, *, strict: bool = False) -> str | None:
    """Return the text of a content. If it has parts that are not text, `strict` refuses them,
    because a program can only get text."""
    if content is None or isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise FieldError(path, f"is {kind(content)}, not a string or a list of text parts")
    texts = []
    for place, part in enumerate(content):
        fields = Fields(part, f"{path}[{place}]")
        if fields.text("type", "text") == "text":
            texts.append(fields.text("text"))
        elif strict:
            reason = "must be 'text': the result of a program's call can only be text"
            raise FieldError(fields.path("type"), reason)
    return "".join(texts)
