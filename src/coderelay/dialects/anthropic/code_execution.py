"""Writes and reads programs as code execution blocks of the Anthropic API.

A program is a `server_tool_use` block, and its outcome the result of that block. The block's id
carries the state for a replay. The result is text, as in the API: the output and then the value in
`stdout`, a failure in `stderr`. When it comes back, this text is used instead of a replay.
"""

from coderelay.conversation import FieldError, HistoryError, Unsupported
from coderelay.conversation.block_builder import short_id
from coderelay.conversation.old_state import from_block_id
from coderelay.conversation.outcome_text import (
    after_text_round_trip,
    outcome_from_text,
    output_and_log,
)
from coderelay.conversation.program_state import (
    SourcelessState,
    decode_without_source,
    encode_without_source,
)
from coderelay.conversation.state_text import UnreadableState
from coderelay.core import Completed, Failed, Failure, Json, Log, Program
from coderelay.core.program import FIXED_DATE
from coderelay.dialects.anthropic.tools import CODE_EXECUTION
from coderelay.dialects.kit.fields import Fields

LANGUAGE = "python"
RESULT = "code_execution_tool_result"
_PREFIX = "srvtoolu_"


def block_id(program: Program) -> str:
    """Return the id of a program's block. A program of another server keeps its id."""
    return (
        program.id if program.id.startswith(_PREFIX) else _PREFIX + encode_without_source(program)
    )


def program_id(id: str) -> str:
    """Return the id of the program that a block's id belongs to."""
    state = _state(id)
    return id if state is None else state.id


def read_program(block: Fields) -> tuple[Program, HistoryError | None]:
    """Return the program of a `server_tool_use` block, and an error if its code was changed."""
    if block.text("name") != CODE_EXECUTION:
        reason = f"must be {CODE_EXECUTION!r}, not {block.text('name')!r:.60}"
        raise Unsupported(block.path("name"), reason)
    id, source = block.text("id"), block.inner("input").text("code")
    if not id:
        raise FieldError(block.path("id"), "must not be empty")
    state = _state(id)
    if state is None:
        return Program(LANGUAGE, source, id, FIXED_DATE), None
    program = state.program(source)
    if program is not None:
        return program, None
    reason = f"the code of {short_id(id)} was changed: send blocks back unchanged"
    changed = Program(LANGUAGE, source, state.id, state.created)
    return changed, HistoryError(reason, block.path("input.code"))


def read_result(block: Fields) -> Completed | Failed:
    """Return a program's outcome from its result block."""
    content = block.inner("content")
    match content.text("type"):
        case "code_execution_result":
            out, err = content.text("stdout", ""), content.text("stderr", "")
            if content.number("return_code", 0) == 0:
                return after_text_round_trip(Completed(out or None, _logs("stderr", err)))
            return after_text_round_trip(Failed(_failure(err), _logs("print", out)))
        case "code_execution_tool_result_error":
            return Failed(_failure(content.text("error_code", "unavailable")))
        case other:
            reason = f"is {other!r:.60}: only results in plain text are supported"
            raise Unsupported(content.path("type"), reason)


def program_block(program: Program) -> dict[str, Json]:
    """Return the block for a program."""
    return {
        "type": "server_tool_use",
        "id": block_id(program),
        "name": CODE_EXECUTION,
        "input": {"code": program.source},
    }


def result_block(program: Program, outcome: Completed | Failed) -> dict[str, Json]:
    """Return the block for a program's outcome."""
    failed = isinstance(outcome, Failed)
    output, log = output_and_log(outcome)
    out, err = (log, output) if failed else (output, log)
    content: dict[str, Json] = {
        "type": "code_execution_result",
        "stdout": out,
        "stderr": err,
        "return_code": 1 if failed else 0,
        "content": [],
    }
    return {"type": RESULT, "tool_use_id": block_id(program), "content": content}


def _state(id: str) -> SourcelessState | None:
    """Return the state in a block's id, or None if another server made it."""
    text = id.removeprefix(_PREFIX)
    old = from_block_id(text, LANGUAGE)
    if old is not None:
        return old
    try:
        return decode_without_source(text)
    except UnreadableState:
        return None


def _failure(text: str) -> Failure:
    outcome = outcome_from_text(text, failed=True)
    assert isinstance(outcome, Failed)
    return outcome.error


def _logs(level: str, text: str) -> tuple[Log, ...]:
    return (Log(level, text),) if text else ()
