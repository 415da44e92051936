"""The rules of a turn, without I/O: no socket, no thread, no event loop, no WebAssembly."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

import pytest

from coderelay.conversation import (
    AssistantText,
    CallsHandedOut,
    CodeBlock,
    PlainMessage,
    ProgramFinished,
    ProgramsSpent,
    ProgramStarted,
    TextStreamed,
    TurnReply,
    TurnRequest,
    TurnStarted,
    Unsupported,
)
from coderelay.core import (
    Call,
    Completed,
    Entry,
    Failed,
    Failure,
    Program,
    Returned,
    Suspended,
    Tool,
)
from coderelay.engines.scripted_engine import Script, ScriptedEngine, value
from coderelay.gateway import Gateway
from coderelay.gateway.toolset import Toolset
from coderelay.gateway.turn import AskModel, Done, ReplayPrograms, RunProgram, Step, Turn
from coderelay.models import ScriptedModel
from coderelay.models.model import CallPiece, Delta, FinishPiece, TextPiece
from coderelay.models.scripted_model import ScriptedAnswer

SEARCH = Tool("web_search", parameters={"type": "object", "properties": {"query": {}}})
QUESTION = PlainMessage({"role": "user", "content": "What is new?"})
CALL = Call(0, "web_search", {"query": "news"})


def no_engine(language: str) -> ScriptedEngine:
    raise AssertionError("the rules of a turn run nothing")


def request(*entries: PlainMessage | CodeBlock, **fields: Any) -> TurnRequest:
    return TurnRequest("m", entries or (QUESTION,), **{"tools": (SEARCH,), **fields})


def turn(asked: TurnRequest) -> Turn:
    toolset = Toolset(asked.tools, asked.language, no_engine)
    ids = iter(f"program{number}" for number in range(100))
    return Turn(asked, toolset, TurnStarted("turn1", 1_763_300_000, "m"), new_id=lambda: next(ids))


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
    return CodeBlock(program, tuple(answered), open=True)


def test_the_model_is_asked_and_its_text_is_the_reply() -> None:
    played = turn(request())
    step = played.start()
    assert isinstance(step, AskModel)
    assert step.body["messages"][-1] == QUESTION.message
    assert kinds(played) == [TurnStarted]
    assert isinstance(answer(played, TextPiece("Nothing."), FinishPiece("stop")), Done)
    told, said, reply = played.take_events()
    assert told == TextStreamed("Nothing.")
    assert said == AssistantText("Nothing.")
    assert isinstance(reply, TurnReply) and reply.finish == "stop"


def test_a_program_that_waits_ends_the_turn_with_its_calls() -> None:
    played = turn(request())
    played.start()
    step = answer(played, *code("return 1;"))
    assert isinstance(step, RunProgram)
    assert step.program == Program("typescript", "return 1;", "program0", 1_763_300_000)
    assert kinds(played) == [TurnStarted, ProgramStarted]
    assert isinstance(played.program_stopped(Suspended((CALL,)), "v1"), Done)
    called, reply = played.take_events()
    assert isinstance(called, CallsHandedOut) and called.calls[0].name == "web_search"
    assert isinstance(reply, TurnReply) and reply.finish == "tool_calls"


def test_the_model_gets_the_outcome_of_a_program_and_is_asked_again() -> None:
    played = turn(request())
    played.start()
    answer(played, *code("return 1;"))
    step = played.program_stopped(Completed(1), "v1")
    assert isinstance(step, AskModel)
    assert step.body["messages"][-1]["content"] == "Result:\n1"
    assert kinds(played) == [TurnStarted, ProgramStarted, ProgramFinished]


def test_no_event_is_sent_before_the_open_program_has_run() -> None:
    """What is wrong with a request is told as an error of its own, and not in mid-answer."""
    played = turn(request(QUESTION, open_block([Entry("web_search", {}, Returned([]))])))
    step = played.start()
    assert isinstance(step, RunProgram) and step.program.id == "p1"
    assert kinds(played) == []
    assert isinstance(played.program_stopped(Completed(1), "v1"), AskModel)
    assert kinds(played) == [TurnStarted, ProgramFinished]


def test_an_open_program_that_waits_again_ends_the_turn_without_the_model() -> None:
    played = turn(request(QUESTION, open_block()))
    played.start()
    assert isinstance(played.program_stopped(Suspended((CALL,)), "v1"), Done)
    assert kinds(played) == [TurnStarted, CallsHandedOut, TurnReply]


def test_finished_programs_without_an_outcome_are_replayed_before_the_model_is_asked() -> None:
    finished = CodeBlock(Program("typescript", "return 1;", "p1"))
    played = turn(request(QUESTION, finished, QUESTION))
    step = played.start()
    assert step == ReplayPrograms((QUESTION, finished, QUESTION))
    resolved = CodeBlock(finished.program, outcome=Completed(7))
    asked = played.programs_replayed([QUESTION, resolved, QUESTION])
    assert isinstance(asked, AskModel)
    assert asked.body["messages"][-2]["content"] == "Result:\n7"


def test_only_the_model_learns_of_a_call_of_an_unknown_tool() -> None:
    played = turn(request())
    played.start()
    step = answer(played, CallPiece(0, "c1", "nonsense", "{}"), FinishPiece("tool_calls"))
    assert isinstance(step, AskModel)
    assert "There is no tool 'nonsense'" in step.body["messages"][-1]["content"]
    assert kinds(played) == [TurnStarted]


def test_a_model_that_says_nothing_is_asked_once_more_and_no_more() -> None:
    played = turn(request())
    played.start()
    assert isinstance(answer(played, FinishPiece("stop")), AskModel)
    assert isinstance(answer(played, FinishPiece("stop")), Done)


def test_a_turn_has_a_maximum_of_programs() -> None:
    played = turn(request(max_programs=2))
    played.start()
    for _ in range(2):
        answer(played, *code("x"))
        played.program_stopped(Failed(Failure("exception", "boom")), "v1")
    with pytest.raises(ProgramsSpent, match=r"wrote 2 programs .* boom"):
        answer(played, *code("x"))


def test_a_program_too_long_for_an_id_fails_without_being_run() -> None:
    incompressible = "".join(sha256(b"%d" % number).hexdigest() for number in range(3_000))
    played = turn(request())
    played.start()
    step = answer(played, *code(incompressible))
    assert isinstance(step, AskModel)
    assert "write a shorter one" in step.body["messages"][-1]["content"]


def test_a_direct_tool_with_the_code_tools_name_is_refused_at_once() -> None:
    direct = {"type": "function", "function": {"name": "run_typescript"}}
    with pytest.raises(Unsupported, match="rename it"):
        turn(request(direct=(direct,)))


def test_a_conversation_is_played_on_the_scripted_engine_and_model() -> None:
    """The driver takes its engines and its model from whoever makes it."""

    def news() -> Script:
        (found,) = yield [("web_search", {"query": "news"})]
        return value(found)

    model = ScriptedModel([ScriptedAnswer(code="the news"), "There is news."])
    engine = ScriptedEngine({"the news": news}, language="typescript")
    gateway = Gateway(model, lambda language: engine)

    async def at_once(work: Any) -> Any:
        return work()

    async def play(asked: TurnRequest) -> list[Any]:
        return [event async for event in gateway.turn(asked, key=None, run_blocking=at_once)]

    async def converse() -> tuple[Any, Mapping[str, Any]]:
        *_, called, _ = await play(request())
        journal = (Entry("web_search", {"query": "news"}, Returned(["rain"])),)
        block = CodeBlock(called.program, journal, open=True)
        *_, reply = await play(request(QUESTION, block))
        return reply, model.seen[-1]

    reply, seen = asyncio.run(converse())
    assert reply.entries[-1].text == "There is news."
    assert seen["messages"][-1]["content"] == 'Result:\n["rain"]'
