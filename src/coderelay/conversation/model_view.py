"""Renders a conversation as the messages that the model gets.

A code block becomes one tool call and one tool message. The state in call ids never goes upstream:
ids there are short and made anew, the same for the same conversation. Long results are cut, with a
note that tells the model how to return less; the program itself always gets the whole result.
"""

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import assert_never

from coderelay.conversation.entries import CodeBlock, ConversationEntry, Message, PlainMessage
from coderelay.core import Completed, Entry, Failed, Failure, Json, Log, Raised, Result, Returned
from coderelay.core.json_values import NotJson, dump

MAX_VALUE = 20_000
MAX_LOGS = 5_000
FAILED = "The program failed (KIND): "
"""The beginning of a failure's text, with KIND replaced by its kind."""
_MAX_INTERRUPTED = 2_000
_SYSTEM = ("system", "developer")
_LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def render_for_model(
    entries: Sequence[ConversationEntry], *, tool_name: Callable[[str], str], prompt: str
) -> list[Message]:
    """Return the messages for the upstream. `tool_name` returns the name of a language's code tool,
    and `prompt` is added to the client's own system message."""
    messages: list[Message] = []
    # Counts blocks, not entries: some histories keep the text beside a program as its own message,
    # and ids must not depend on that.
    place = 0
    for entry in entries:
        if isinstance(entry, PlainMessage):
            messages.append(entry.message)
            continue
        messages += _join_text(messages, list(_block(entry, place, tool_name)))
        place += 1
        messages += [remark.message for remark in entry.remarks]
    return _with_prompt(messages, prompt) if prompt else messages


def fresh_id(*parts: Json) -> str:
    """Return an id for the upstream, made of the parts: nine letters and digits, because some
    providers accept no other form."""
    number = int.from_bytes(sha256(repr(parts).encode("utf-8", "replace")).digest()[:8], "big")
    letters = []
    for _ in range(9):
        number, letter = divmod(number, len(_LETTERS))
        letters.append(_LETTERS[letter])
    return "".join(letters)


def outcome_for_model(outcome: Completed | Failed) -> str:
    """Return the text that tells the model a program's outcome."""
    match outcome:
        case Completed(value):
            parts = ["Result:\n" + _cut(value_text(value), MAX_VALUE, "result")]
        case Failed(error):
            parts = [failure_text(error)]
        case _:
            assert_never(outcome)
    logs = _logs(outcome.logs)
    return "\n\n".join([*parts, logs] if logs else parts)


def call_and_answer(
    id: str, name: str, arguments: str, *, text: str, content: str
) -> list[Message]:
    """Return the messages for one tool call and its answer."""
    call = {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
    return [
        {"role": "assistant", "content": _beside(text), "tool_calls": [call]},
        {"role": "tool", "tool_call_id": id, "content": content},
    ]


def _block(block: CodeBlock, place: int, tool_name: Callable[[str], str]) -> Iterator[Message]:
    if block.program is None or (block.outcome is None and not block.interrupted):
        yield from _as_plain_calls(block, place)
        return
    content = _interrupted(block) if block.outcome is None else outcome_for_model(block.outcome)
    yield from call_and_answer(
        fresh_id(place, block.program.id),
        tool_name(block.program.language),
        dump({"code": block.program.source}),
        text=block.text,
        content=content,
    )


def _as_plain_calls(block: CodeBlock, place: int) -> Iterator[Message]:
    """Yield messages for a block whose outcome is unknown: its calls and results."""
    parts = [(each.name, each.arguments, _result(each.result)) for each in block.journal]
    parts += [(each.name, each.arguments, "(no result)") for each in block.pending]
    ids = [fresh_id(place, number) for number in range(len(parts))]
    if not parts:
        return
    calls = [
        {"id": id, "type": "function", "function": {"name": name, "arguments": _arguments(passed)}}
        for id, (name, passed, _) in zip(ids, parts, strict=True)
    ]
    yield {"role": "assistant", "content": _beside(block.text), "tool_calls": calls}
    for id, (_, _, content) in zip(ids, parts, strict=True):
        yield {"role": "tool", "tool_call_id": id, "content": _cut(content, MAX_VALUE, "result")}


def _interrupted(block: CodeBlock) -> str:
    lines = ["The program was interrupted by the user before it ended."]
    lines += [_line(entry) for entry in block.journal]
    lines += [f"{call.name}({_arguments(call.arguments)}): no result" for call in block.pending]
    if len(lines) > 1:
        lines.insert(1, "Its calls so far, and their results:")
    return _cut("\n".join(lines), MAX_VALUE, "list")


def _line(entry: Entry) -> str:
    result = _cut(_result(entry.result), _MAX_INTERRUPTED, "result")
    return f"{entry.name}({_arguments(entry.arguments)}): {result}"


def _result(result: Result) -> str:
    match result:
        case Returned(value):
            return value_text(value)
        case Raised(error):
            return f"{error.name}: {error.message}"
        case _:
            assert_never(result)


def failure_text(failure: Failure) -> str:
    """Return the text that tells the model about a failure."""
    what = ": ".join(part for part in (failure.name, failure.message) if part)
    where = ""
    if failure.line is not None:
        column = f", column {failure.column}" if failure.column is not None else ""
        where = f" (line {failure.line}{column})"
    kind = f"{failure.limit} limit" if failure.limit else failure.kind
    head = _cut(FAILED.replace("KIND", kind) + what + where, MAX_VALUE, "message")
    return "\n".join(part for part in (head, failure.frame, failure.calls) if part)


def _logs(logs: Sequence[Log]) -> str:
    if not logs:
        return ""
    return "Log:\n" + _cut("\n".join(log.text for log in logs), MAX_LOGS, "log")


def _cut(text: str, most: int, what: str) -> str:
    if len(text) <= most:
        return text
    advice = "log less" if what == "log" else "return less: pick fields, filter, count, summarise"
    return (
        f"{text[:most]}…\n[The {what} is {len(text):,} characters, "
        f"only the first {most:,} are shown: {advice}.]"
    )


def value_text(value: Json) -> str:
    """Return a value as text: a non-empty string unchanged, everything else as JSON."""
    if isinstance(value, str) and value:
        return value
    try:
        return dump(value)
    except NotJson:
        return repr(value)


def _arguments(arguments: Json) -> str:
    return dump(arguments if isinstance(arguments, dict) else {"arguments": arguments})


def _join_text(before: list[Message], block: list[Message]) -> list[Message]:
    """Move the assistant's text just before a program into the program's own message."""
    if before and block and not block[0].get("content"):
        last = before[-1]
        if last.get("role") == "assistant" and not last.get("tool_calls"):
            before.pop()
            return [{**block[0], "content": _beside(last.get("content"))}, *block[1:]]
    return block


def _beside(content: Json) -> Json:
    """Return the content of a message with calls: None for white space, which not every API
    keeps, so that all histories give the same messages."""
    return None if isinstance(content, str) and not content.strip() else content


def _with_prompt(messages: list[Message], prompt: str) -> list[Message]:
    """Add the prompt at the end of the client's system message, or as a system message."""
    if not messages or messages[0].get("role") not in _SYSTEM:
        return [{"role": "system", "content": prompt}, *messages]
    own = messages[0].get("content")
    content: Json
    if isinstance(own, list):
        content = [*own, {"type": "text", "text": prompt}]
    else:
        content = f"{own}\n\n{prompt}" if own else prompt
    return [{**messages[0], "content": content}, *messages[1:]]
