"""An outcome as text, for histories that keep nothing else of it, and back.

    told(recalled(outcome)) == told(recalled(recalled(outcome)))

So the model is shown the same whether a program just ended or its text came back.
"""

import re
from typing import assert_never

from coderelay.conversation.model_view import FAILED, failure_text, value_text
from coderelay.core import Completed, Failed, Failure
from coderelay.core.outcome import FailureKind

OUTPUT = ("text", "print")
"""What a program puts out on purpose; all else it writes is its log."""

_KINDS: dict[str, FailureKind] = {
    "syntax": "syntax",
    "exception": "exception",
    "limit": "limit",
    "arguments": "arguments",
    "deadlock": "deadlock",
}
_HEAD = re.compile(re.escape(FAILED).replace("KIND", r"([a-z_]+)( limit)?"))


def as_text(outcome: Completed | Failed) -> str:
    """The output and the value of a program, or its failure, and then its log. A log alone stands
    for the output, and null for nothing at all."""
    said, log = put_out(outcome)
    if not said:
        said, log = log or value_text(None), ""
    return f"{said}\n\nLog:\n{log}" if log else said


def put_out(outcome: Completed | Failed) -> tuple[str, str]:
    """The output and the value of a program, or its failure; and its log."""
    match outcome:
        case Completed(value, logs):
            said = [log.text for log in logs if log.level in OUTPUT]
            if value is not None:
                said.append(value_text(value))
            return "\n".join(said), "\n".join(log.text for log in logs if log.level not in OUTPUT)
        case Failed(error, logs):
            return failure_text(error), "\n".join(log.text for log in logs)
        case _:
            assert_never(outcome)


def from_text(text: str, *, failed: bool) -> Completed | Failed:
    """The outcome that a text of a history stands for."""
    if not failed:
        return Completed(text)
    head = _HEAD.match(text)
    if head is None:
        return Failed(Failure("exception", text))
    message = text[head.end() :]
    if head[2]:
        return Failed(Failure("limit", message, limit=head[1]))
    return Failed(Failure(_KINDS.get(head[1], "exception"), message))


def recalled(outcome: Completed | Failed) -> Completed | Failed:
    """An outcome as it comes back from such a history."""
    return from_text(as_text(outcome), failed=isinstance(outcome, Failed))
