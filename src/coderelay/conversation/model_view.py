"""What the model is shown: a code block becomes one tool call and one tool message.

Nothing of the state token goes upstream: every id there is fresh, nine letters and digits, and
the same for the same conversation. What is shown is cut to a budget, with a note that says how to
get less; what is journalled never is.
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
"""How a failure begins; a kind is put in."""
_MAX_INTERRUPTED = 2_000
_SYSTEM = ("system", "developer")
_LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def shown(
    entries: Sequence[ConversationEntry], *, tool_name: Callable[[str], str], prompt: str
) -> list[Message]:
    """The messages for the upstream. `tool_name` gives a language's code tool, and `prompt` is
    added to the client's own system message."""
    messages: list[Message] = []
    place = 0  # among the blocks: some histories keep words beside a program as a message
    for entry in entries:
        if isinstance(entry, PlainMessage):
            messages.append(entry.message)
            continue
        messages += _with_words(messages, list(_block(entry, place, tool_name)))
        place += 1
        messages += [remark.message for remark in entry.remarks]
    return _with_prompt(messages, prompt) if prompt else messages


def fresh_id(*parts: Json) -> str:
    """Nine letters and digits: some providers accept no other form."""
    number = int.from_bytes(sha256(repr(parts).encode("utf-8", "replace")).digest()[:8], "big")
    letters = []
    for _ in range(9):
        number, letter = divmod(number, len(_LETTERS))
        letters.append(_LETTERS[letter])
    return "".join(letters)


def told(outcome: Completed | Failed) -> str:
    """A program's end, in words for a model."""
    match outcome:
        case Completed(value):
            parts = ["Result:\n" + _cut(value_text(value), MAX_VALUE, "result")]
        case Failed(error):
            parts = [failure_text(error)]
        case _:
            assert_never(outcome)
    logs = _logs(outcome.logs)
    return "\n\n".join([*parts, logs] if logs else parts)


def exchange(id: str, name: str, arguments: str, *, text: str, content: str) -> list[Message]:
    """A tool call and the answer to it."""
    call = {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
    return [
        {"role": "assistant", "content": _beside(text), "tool_calls": [call]},
        {"role": "tool", "tool_call_id": id, "content": content},
    ]


def _block(block: CodeBlock, place: int, tool_name: Callable[[str], str]) -> Iterator[Message]:
    if block.program is None or (block.outcome is None and not block.interrupted):
        yield from _plainly(block, place)
        return
    content = _interrupted(block) if block.outcome is None else told(block.outcome)
    yield from exchange(
        fresh_id(place, block.program.id),
        tool_name(block.program.language),
        dump({"code": block.program.source}),
        text=block.text,
        content=content,
    )


def _plainly(block: CodeBlock, place: int) -> Iterator[Message]:
    """A block that cannot be replayed, as plain calls and results."""
    parts = [(each.name, each.arguments, _result(each.result)) for each in block.journal]
    parts += [(each.name, each.arguments, "(no result)") for each in block.pending]
    ids = [fresh_id(place, number) for number in range(len(parts))]
    if not parts:
        return
    calls = [
        {"id": id, "type": "function", "function": {"name": name, "arguments": _arguments(given)}}
        for id, (name, given, _) in zip(ids, parts, strict=True)
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
    """A failure, in words for a model."""
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
        f"the first {most:,} are shown: {advice}.]"
    )


def value_text(value: Json) -> str:
    """A value as text: a string as it is, all else as JSON, and so an empty string."""
    if isinstance(value, str) and value:
        return value
    try:
        return dump(value)
    except NotJson:
        return repr(value)


def _arguments(arguments: Json) -> str:
    return dump(arguments if isinstance(arguments, dict) else {"arguments": arguments})


def _with_words(before: list[Message], block: list[Message]) -> list[Message]:
    """What the assistant said just before its program belongs to the same message."""
    if before and block and not block[0].get("content"):
        last = before[-1]
        if last.get("role") == "assistant" and not last.get("tool_calls"):
            before.pop()
            return [{**block[0], "content": _beside(last.get("content"))}, *block[1:]]
    return block


def _beside(content: Json) -> Json:
    """Words beside a call. White space alone is none: not every API would keep it."""
    return None if isinstance(content, str) and not content.strip() else content


def _with_prompt(messages: list[Message], prompt: str) -> list[Message]:
    """The prompt stands at the end of the client's own system message, or alone."""
    if not messages or messages[0].get("role") not in _SYSTEM:
        return [{"role": "system", "content": prompt}, *messages]
    own = messages[0].get("content")
    content: Json
    if isinstance(own, list):
        content = [*own, {"type": "text", "text": prompt}]
    else:
        content = f"{own}\n\n{prompt}" if own else prompt
    return [{**messages[0], "content": content}, *messages[1:]]
