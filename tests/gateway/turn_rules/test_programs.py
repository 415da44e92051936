"""Programs of a turn: how they are counted, what their outcomes become, how their calls travel."""

from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256

import pytest

from coderelay.conversation import (
    AssistantText,
    CallsHandedOut,
    CodeBlock,
    ProgramFinished,
    ProgramsSpent,
    ProgramStarted,
    call_ids,
)
from coderelay.conversation.call_ids import LaterCall
from coderelay.conversation.program_state import ProgramState
from coderelay.core import Completed, Entry, Failed, Failure, Log, Program, Returned
from coderelay.engines.scripted_engine import Script, ScriptedFailure
from coderelay.models.scripted_model import ScriptedAnswer
from tests.gateway.turn_rules.playing import (
    NOW,
    QUESTION,
    Played,
    play,
    request,
    returns,
    searches,
)

NEWS = "return webSearch('news')"
PROGRAMS = {NEWS: searches("news"), "both": searches("a", "b"), "return 1;": returns(1)}
LOOK = ScriptedAnswer("I will look.", code=NEWS)


def handed_out(played: Played) -> CallsHandedOut:
    entry = played.entries[-1]
    assert isinstance(entry, CallsHandedOut)
    assert played.reply.finish == "tool_calls"
    return entry


def fails() -> Script:
    raise ScriptedFailure(Failure("exception", "boom"))
    yield


def test_a_call_is_handed_out_with_an_id_that_carries_the_program() -> None:
    played = play(request(), LOOK, programs=PROGRAMS)
    program = Program("typescript", NEWS, "program1", NOW)
    begun = ProgramState(program, "scripted", tools=frozenset(["web_search"]))
    assert played.entries[0] == ProgramStarted(begun, "I will look.")
    (call,) = handed_out(played).calls
    assert (call.name, call.arguments, call.index) == ("web_search", {"query": "news"}, 0)
    state = call_ids.decode(call.id)
    assert isinstance(state, ProgramState)
    assert (state.program, state.fingerprint) == (program, "scripted")
    assert state.tools == frozenset(["web_search"])


def test_only_the_first_call_of_a_program_carries_it() -> None:
    answer = ScriptedAnswer(code="both")
    first, second = handed_out(play(request(), answer, programs=PROGRAMS)).calls
    assert isinstance(call_ids.decode(first.id), ProgramState)
    assert isinstance(call_ids.decode(second.id), LaterCall)


def test_a_client_that_wants_one_call_at_a_time_gets_the_first_of_a_batch() -> None:
    answer = ScriptedAnswer(code="both")
    played = play(request(parallel=False), answer, programs=PROGRAMS)
    (call,) = handed_out(played).calls
    assert call.arguments == {"query": "a"}
    assert played.bodies[0]["parallel_tool_calls"] is False
    answered = (Entry("web_search", {"query": "a"}, Returned(1)),)
    block = CodeBlock(handed_out(played).state, answered, open=True)
    again = play(request(QUESTION, block, parallel=False), programs=PROGRAMS)
    assert [each.arguments for each in handed_out(again).calls] == [{"query": "b"}]


def test_programs_that_ended_without_calls_travel_with_the_next_one() -> None:
    played = play(request(), ScriptedAnswer(code="return 1;"), LOOK, programs=PROGRAMS)
    state = call_ids.decode(handed_out(played).calls[0].id)
    assert isinstance(state, ProgramState)
    assert [each.source for each in state.earlier] == ["return 1;"]


def test_in_the_messages_protocol_ids_carry_nothing() -> None:
    played = play(request(protocol="messages"), LOOK, programs=PROGRAMS)
    decoded = call_ids.decode(handed_out(played).calls[0].id)
    assert isinstance(decoded, LaterCall)
    assert (decoded.program, decoded.index) == ("program1", 0)


LONG = "".join(sha256(b"%d" % number).hexdigest() for number in range(3_000))


def test_a_program_too_long_for_an_id_fails_without_being_run() -> None:
    played = play(request(), ScriptedAnswer(code=LONG), "Too long.")
    assert "write a shorter one" in played.last_message["content"]
    finished = played.entries[1]
    assert isinstance(finished, ProgramFinished) and isinstance(finished.outcome, Failed)
    assert finished.outcome.error.limit == "source"


def test_in_the_messages_protocol_a_program_may_be_longer() -> None:
    programs = {LONG: returns("done")}
    played = play(
        request(protocol="messages"), ScriptedAnswer(code=LONG), "Done.", programs=programs
    )
    assert played.last_message["content"] == "Result:\ndone"


def test_an_open_program_continues_with_the_answers_of_its_calls() -> None:
    answered = (Entry("web_search", {"query": "news"}, Returned("rain")),)
    block = CodeBlock(ProgramState(Program("typescript", NEWS, "p1", NOW)), answered, open=True)
    played = play(request(QUESTION, block), "There is rain.", programs=PROGRAMS)
    assert played.last_message["content"] == 'Result:\n["rain"]'
    finished, text = played.entries
    assert isinstance(finished, ProgramFinished) and isinstance(finished.outcome, Completed)
    assert text == AssistantText("There is rain.")


def test_finished_programs_are_replayed_for_their_outcome() -> None:
    answered = (Entry("web_search", {"query": "news"}, Returned("rain")),)
    block = CodeBlock(ProgramState(Program("typescript", NEWS, "p1", NOW)), answered)
    played = play(request(QUESTION, block, QUESTION), "Yes.", programs=PROGRAMS)
    assert played.bodies[0]["messages"][-2]["content"] == 'Result:\n["rain"]'


def prints() -> Script:
    yield Log("text", "printed")
    return 1


@pytest.mark.parametrize(
    ("form", "result"),
    [("values", "Result:\n1\n\nLog:\nprinted"), ("texts", "Result:\nprinted\n1")],
)
def test_the_model_gets_an_outcome_as_the_history_will_keep_it(form: str, result: str) -> None:
    """It must not see an outcome change when the client sends it back."""
    programs: dict[str, Callable[[], Script]] = {"prints": prints}
    answer = ScriptedAnswer(code="prints")
    played = play(request(outcome_form=form), answer, "Yes.", programs=programs)
    assert played.last_message["content"] == result
    finished = CodeBlock(ProgramState(Program("typescript", "prints", "p1")))
    history = request(QUESTION, finished, QUESTION, outcome_form=form)
    replayed = play(history, "Yes.", programs=programs)
    assert replayed.bodies[0]["messages"][-2]["content"] == result


@pytest.mark.parametrize(
    ("last", "reason"),
    [
        (ScriptedAnswer(code="fails"), "boom"),
        (ScriptedAnswer(code="return 1;"), "Result:\n1"),
        (ScriptedAnswer(calls=[("nonsense", {})]), "There is no tool 'nonsense'"),
    ],
    ids=["failed", "completed", "invalid call"],
)
def test_a_turn_has_a_maximum_of_programs_and_its_error_says_how_the_last_one_ended(
    last: ScriptedAnswer, reason: str
) -> None:
    programs = {**PROGRAMS, "fails": fails}
    with pytest.raises(ProgramsSpent, match=rf"(?s)wrote 2 programs .*{reason}"):
        play(request(max_programs=2), last, last, last, programs=programs)


def test_invalid_calls_count_as_programs() -> None:
    answers = [ScriptedAnswer(code="return 1;"), ScriptedAnswer(calls=[("nonsense", {})])]
    with pytest.raises(ProgramsSpent, match="wrote 2 programs"):
        play(request(max_programs=2), *answers, answers[0], programs=PROGRAMS)


def test_programs_of_earlier_requests_of_the_turn_count() -> None:
    block = CodeBlock(ProgramState(Program("typescript", "return 1;", "p1")), outcome=Completed(1))
    answer = ScriptedAnswer(code="return 1;")
    with pytest.raises(ProgramsSpent):
        play(request(QUESTION, block, max_programs=1), answer, programs=PROGRAMS)
    after_a_question = request(QUESTION, block, QUESTION, max_programs=1)
    assert play(after_a_question, answer, "One.", programs=PROGRAMS).texts == ["One."]


def test_a_receipt_is_given_if_the_client_asks_for_it() -> None:
    answers = [ScriptedAnswer(code="return 1;"), LOOK]
    assert play(request(), *answers, programs=PROGRAMS).reply.receipt is None
    receipt = play(request(receipt=True), *answers, programs=PROGRAMS).reply.receipt
    assert receipt is not None
    assert (receipt.programs, receipt.calls, receipt.model_calls) == (2, 1, 2)
    assert receipt.fuel == 2
    assert receipt.usage.total == 30
    assert receipt.saved == 0


def test_a_receipt_estimates_the_tokens_that_the_model_did_not_get() -> None:
    answered = (Entry("web_search", {"query": "news"}, Returned("x" * 4_000)),)
    program = Program("typescript", "counts", "p1")
    block = CodeBlock(ProgramState(program), answered, open=True)

    def counts() -> Script:
        (found,) = yield [("web_search", {"query": "news"})]
        return found.value[:1] if isinstance(found, Returned) else None

    scripts: dict[str, Callable[[], Script]] = {"counts": counts}
    asks = request(QUESTION, block, receipt=True)
    receipt = play(asks, "x", programs=scripts).reply.receipt
    assert receipt is not None and 900 < receipt.saved < 1_100
    waits = replace(asks, entries=(QUESTION, replace(block, journal=())))
    receipt = play(waits, programs=scripts).reply.receipt
    assert receipt is not None and (receipt.model_calls, receipt.saved) == (0, 0)
