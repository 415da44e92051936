"""Writes and reads programs as code execution blocks of the Anthropic API.

A program is a `server_tool_use` block, and its outcome the result of that block. The block's id
carries the state for a replay. The result is text, as in the API: the output and then the value in
`stdout`, a failure in `stderr`. When it comes back, this text is used instead of a replay.
"""

from dataclasses import replace

from coderelay.conversation import FieldError, HistoryError, Unsupported
from coderelay.conversation.block_builder import short_id
from coderelay.conversation.old_state import from_block_id
from coderelay.conversation.outcome_text import (
    after_text_round_trip,
    outcome_from_text,
    output_and_log,
)
from coderelay.conversation.program_state import (
    BESIDE_SOURCE,
    ProgramState,
    decode_state,
    encode_state,
    state_error,
)
from coderelay.conversation.state_text import InflateBudget, UnreadableState, is_state
from coderelay.core import Completed, Failed, Failure, Json, Log, Program
from coderelay.core.program import FIXED_DATE
from coderelay.dialects.anthropic.tools import CODE_EXECUTION
from coderelay.dialects.kit.fields import Fields

LANGUAGE = "python"
RESULT = "code_execution_tool_result"
_PREFIX = "srvtoolu_"
_FIRST_VERSION = "cr1_"


def block_id(state: ProgramState) -> str:
    """Return the id of a program's block. A block that the client sent keeps its id."""
    return state.sent_as or _PREFIX + encode_state(state.without_source(), BESIDE_SOURCE)


def program_id(id: str, budget: InflateBudget) -> str:
    """Return the id of the program that a block's id belongs to."""
    try:
        state = decode_block_id(id, budget)
    except UnreadableState:
        return id
    return id if state is None else state.program.id


def read_program(block: Fields, budget: InflateBudget) -> tuple[ProgramState, HistoryError | None]:
    """Return the program of a `server_tool_use` block, and an error if its code was changed or the
    state in its id cannot be read."""
    if block.text("name") != CODE_EXECUTION:
        reason = f"must be {CODE_EXECUTION!r}, not {block.text('name')!r:.60}"
        raise Unsupported(block.path("name"), reason)
    id, source = block.text("id"), block.inner("input").text("code")
    if not id:
        raise FieldError(block.path("id"), "must not be empty")
    foreign = ProgramState(Program(LANGUAGE, source, id, FIXED_DATE), sent_as=id)
    try:
        state = decode_block_id(id, budget)
    except UnreadableState as error:
        return foreign, state_error(f"the block id {short_id(id)}", error, block.path("id"))
    if state is None:
        return foreign, None
    whole = state.with_source(source)
    if whole is not None:
        return replace(whole, sent_as=id), None
    reason = f"the code of {short_id(id)} was changed: send blocks back unchanged"
    changed = replace(state, program=replace(state.program, source=source), sent_as=id)
    return changed, HistoryError(reason, block.path("input.code"))


def decode_block_id(id: str, budget: InflateBudget) -> ProgramState | None:
    """Return the state in a block's id, which is without source, or None if another server made the
    id. Raises `UnreadableState`."""
    text = id.removeprefix(_PREFIX)
    if text == id or not (is_state(text) or text.startswith(_FIRST_VERSION)):
        return None
    return from_block_id(text, LANGUAGE) or decode_state(text, BESIDE_SOURCE, budget)


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


def program_block(state: ProgramState) -> dict[str, Json]:
    """Return the block for a program."""
    return {
        "type": "server_tool_use",
        "id": block_id(state),
        "name": CODE_EXECUTION,
        "input": {"code": state.program.source},
    }


def result_block(state: ProgramState, outcome: Completed | Failed) -> dict[str, Json]:
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
    return {"type": RESULT, "tool_use_id": block_id(state), "content": content}


def _failure(text: str) -> Failure:
    outcome = outcome_from_text(text, failed=True)
    assert isinstance(outcome, Failed)
    return outcome.error


def _logs(level: str, text: str) -> tuple[Log, ...]:
    return (Log(level, text),) if text else ()
