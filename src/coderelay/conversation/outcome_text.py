"""Writes an outcome as text, for histories that keep nothing else of it, and reads it back.

What the model gets must not depend on whether a program has just ended or its text came back from
the client. So a second round trip through text changes nothing:

    once = after_text_round_trip(outcome)
    outcome_for_model(once) == outcome_for_model(after_text_round_trip(once))
"""

import re
from typing import assert_never

from coderelay.conversation.model_view import FAILED, failure_text, value_text
from coderelay.core import Completed, Failed, Failure
from coderelay.core.outcome import FailureKind

OUTPUT = ("text", "print")
"""The levels of logs that are a program's output; the others are its log."""

_KINDS: dict[str, FailureKind] = {
    "syntax": "syntax",
    "exception": "exception",
    "limit": "limit",
    "arguments": "arguments",
    "deadlock": "deadlock",
}
_HEAD = re.compile(re.escape(FAILED).replace("KIND", r"([a-z_]+)( limit)?"))


def outcome_as_text(outcome: Completed | Failed) -> str:
    """Return the text of an outcome: output and value, or the failure, then the log.

    Without any output the log takes its place, and without both the text is `null`.
    """
    output, log = output_and_log(outcome)
    if not output:
        output, log = log or value_text(None), ""
    return f"{output}\n\nLog:\n{log}" if log else output


def output_and_log(outcome: Completed | Failed) -> tuple[str, str]:
    """Return two texts: a program's output and value, or its failure; and its log."""
    match outcome:
        case Completed(value, logs):
            output = [log.text for log in logs if log.level in OUTPUT]
            if value is not None:
                output.append(value_text(value))
            return "\n".join(output), "\n".join(log.text for log in logs if log.level not in OUTPUT)
        case Failed(error, logs):
            return failure_text(error), "\n".join(log.text for log in logs)
        case _:
            assert_never(outcome)


def outcome_from_text(text: str, *, failed: bool) -> Completed | Failed:
    """Return the outcome that a text from a history stands for."""
    if not failed:
        return Completed(text)
    head = _HEAD.match(text)
    if head is None:
        return Failed(Failure("exception", text))
    message = text[head.end() :]
    if head[2]:
        return Failed(Failure("limit", message, limit=head[1]))
    return Failed(Failure(_KINDS.get(head[1], "exception"), message))


def after_text_round_trip(outcome: Completed | Failed) -> Completed | Failed:
    """Return an outcome as it will be after it was written to a history as text and read back."""
    return outcome_from_text(outcome_as_text(outcome), failed=isinstance(outcome, Failed))
