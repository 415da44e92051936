"""A turn returns steps, and takes the report on each step only when it is due."""

import json
from collections.abc import Callable, Sequence

import pytest

from coderelay.conversation import (
    AssistantText,
    CallsHandedOut,
    CodeBlock,
    ProgramFinished,
    ProgramsSpent,
    ProgramStarted,
    TextStreamed,
    TurnReply,
    TurnRequest,
    TurnStarted,
    Unsupported,
    UpstreamError,
)
from coderelay.conversation.program_state import ProgramState
from coderelay.core import Call, Completed, Entry, Program, Returned, Suspended
from coderelay.engines.scripted_engine import ScriptedEngine
from coderelay.gateway.toolset import Toolset
from coderelay.gateway.turn import Turn
from coderelay.gateway.turn_steps import AskModel, Done, ReplayPrograms, RunProgram, Step
from coderelay.models.model import CallPiece, Delta, FinishPiece, TextPiece
from tests.gateway.turn_rules.playing import NOW, QUESTION, SHOW_MAP, request

CALL = Call(0, "web_search", {"query": "news"})


def no_engine(language: str) -> ScriptedEngine:
    """An engine that knows no program: the rules of a turn run nothing."""
    return ScriptedEngine({}, language)


def turn(turn_request: TurnRequest, **settings: int) -> Turn:
    toolset = Toolset(turn_request.tools, turn_request.language, no_engine)
    ids = iter(f"program{number}" for number in range(100))
    started = TurnStarted("turn1", NOW, "m")
    return Turn(turn_request, toolset, started, new_id=lambda: next(ids), **settings)


def answer(turn: Turn, *deltas: Delta) -> Step:
    for delta in deltas:
        turn.model_sent(delta)
    return turn.model_answered()


def code(source: str) -> tuple[Delta, ...]:
    arguments = json.dumps({"code": source})
    return CallPiece(0, "c1", "run_typescript", arguments), FinishPiece("tool_calls")


def kinds(turn: Turn) -> list[type]:
    return [type(event) for event in turn.take_events()]


def open_block(answered: Sequence[Entry] = ()) -> CodeBlock:
    program = Program("typescript", "return 1;", "p1")
    return CodeBlock(ProgramState(program), tuple(answered), open=True)


def test_the_model_is_asked_and_its_text_is_the_reply() -> None:
    played = turn(request())
    step = played.start()
    assert isinstance(step, AskModel)
    assert step.body["messages"][-1] == QUESTION.message
    assert kinds(played) == [TurnStarted]
    assert isinstance(answer(played, TextPiece("Nothing."), FinishPiece("stop")), Done)
    piece, text, reply = played.take_events()
    assert piece == TextStreamed("Nothing.")
    assert text == AssistantText("Nothing.")
    assert isinstance(reply, TurnReply) and reply.finish == "stop"


def test_a_program_that_waits_ends_the_turn_with_its_calls() -> None:
    played = turn(request())
    played.start()
    step = answer(played, *code("return 1;"))
    assert isinstance(step, RunProgram)
    assert step.state.program == Program("typescript", "return 1;", "program0", NOW)
    assert kinds(played) == [TurnStarted, ProgramStarted]
    assert isinstance(played.program_stopped(Suspended((CALL,))), Done)
    called, reply = played.take_events()
    assert isinstance(called, CallsHandedOut) and called.calls[0].name == "web_search"
    assert isinstance(reply, TurnReply) and reply.finish == "tool_calls"


def test_the_model_gets_the_outcome_of_a_program_and_is_asked_again() -> None:
    played = turn(request())
    played.start()
    answer(played, *code("return 1;"))
    step = played.program_stopped(Completed(1))
    assert isinstance(step, AskModel)
    assert step.body["messages"][-1]["content"] == "Result:\n1"
    assert kinds(played) == [TurnStarted, ProgramStarted, ProgramFinished]


def test_no_event_is_sent_before_the_open_program_has_run() -> None:
    """Until then the request may be refused with an error status instead of an answer."""
    played = turn(request(QUESTION, open_block([Entry("web_search", {}, Returned([]))])))
    step = played.start()
    assert isinstance(step, RunProgram) and step.state.program.id == "p1"
    assert kinds(played) == []
    assert isinstance(played.program_stopped(Completed(1)), AskModel)
    assert kinds(played) == [TurnStarted, ProgramFinished]


def test_an_open_program_that_waits_again_ends_the_turn_without_the_model() -> None:
    played = turn(request(QUESTION, open_block()))
    played.start()
    assert isinstance(played.program_stopped(Suspended((CALL,))), Done)
    assert kinds(played) == [TurnStarted, CallsHandedOut, TurnReply]


def test_finished_programs_without_an_outcome_are_replayed_before_the_model_is_asked() -> None:
    finished = CodeBlock(ProgramState(Program("typescript", "return 1;", "p1")))
    played = turn(request(QUESTION, finished, QUESTION))
    step = played.start()
    assert step == ReplayPrograms((QUESTION, finished, QUESTION))
    resolved = CodeBlock(finished.state, outcome=Completed(7))
    step = played.programs_replayed([QUESTION, resolved, QUESTION])
    assert isinstance(step, AskModel)
    assert step.body["messages"][-2]["content"] == "Result:\n7"


def test_a_direct_tool_with_the_code_tools_name_is_refused_at_once() -> None:
    direct = {**SHOW_MAP, "function": {"name": "run_typescript"}}
    with pytest.raises(Unsupported, match="rename it"):
        turn(request(direct=(direct,)))


def not_started() -> Turn:
    return turn(request())


def waiting_for_the_program() -> Turn:
    played = turn(request(QUESTION, open_block()))
    played.start()
    return played


def waiting_for_replays() -> Turn:
    played = turn(
        request(
            QUESTION, CodeBlock(ProgramState(Program("typescript", "return 1;", "p1"))), QUESTION
        )
    )
    played.start()
    return played


def waiting_for_the_model() -> Turn:
    played = turn(request())
    played.start()
    return played


def done() -> Turn:
    played = waiting_for_the_model()
    answer(played, TextPiece("Nothing."), FinishPiece("stop"))
    return played


REPORTS: dict[str, Callable[[Turn], object]] = {
    "start": lambda played: played.start(),
    "program_stopped": lambda played: played.program_stopped(Completed(1)),
    "programs_replayed": lambda played: played.programs_replayed([QUESTION]),
    "model_sent": lambda played: played.model_sent(TextPiece("Nothing.")),
    "model_answered": lambda played: played.model_answered(),
}


@pytest.mark.parametrize("call", REPORTS)
@pytest.mark.parametrize(
    ("state", "allowed", "expected"),
    [
        (not_started, ["start"], r"start\(\)"),
        (waiting_for_the_program, ["program_stopped"], r"program_stopped\(\)"),
        (waiting_for_replays, ["programs_replayed"], r"programs_replayed\(\)"),
        (
            waiting_for_the_model,
            ["model_sent", "model_answered"],
            r"model_sent\(\) or model_answered\(\)",
        ),
        (done, [], "no more calls, because it is over"),
    ],
    ids=["not started", "program", "replays", "model", "done"],
)
def test_a_report_that_is_not_due_is_refused_and_changes_nothing(
    state: Callable[[], Turn], allowed: list[str], expected: str, call: str
) -> None:
    played = state()
    played.take_events()
    if call in allowed:
        REPORTS[call](played)
        return
    with pytest.raises(
        RuntimeError, match=rf"Turn\.{call}\(\) was called out of order: .* expects {expected}$"
    ):
        REPORTS[call](played)
    assert played.take_events() == []
    if allowed:
        REPORTS[allowed[-1]](played)


def test_a_turn_that_raised_an_error_is_over() -> None:
    played = turn(request(max_programs=0))
    played.start()
    with pytest.raises(ProgramsSpent):
        answer(played, *code("return 1;"))
    with pytest.raises(RuntimeError, match="it is over"):
        played.model_answered()


def test_an_answer_that_is_too_long_is_an_error_of_the_upstream() -> None:
    played = turn(request(), max_answer=10)
    played.start()
    with pytest.raises(UpstreamError, match="longer than 10 characters"):
        played.model_sent(TextPiece("eleven char"))
