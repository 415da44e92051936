"""The rules of one turn, as a state machine that does no I/O.

A turn serves one request: from the history that a client sent to the calls or the text that it gets
back. The driver takes the steps that the turn returns, and reports their results:

    step = turn.start()
    while not isinstance(step, Done):
        match step:
            case RunProgram():      step = turn.program_stopped(outcome)
            case ReplayPrograms():  step = turn.programs_replayed(entries)
            case AskModel():        turn.model_sent(delta) for each piece, then
                                    step = turn.model_answered()

After each of these calls, `take_events()` returns the new events for the client.

- An open program is run first. If it waits for calls, they are the whole answer.
- The model is asked again when a program has ended, whether it completed or failed, up to
  `max_programs` programs in a turn.
- Calls are handed out with ids that carry the program; nothing is stored between requests.

The driver is in `gateway.py`.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import assert_never

from coderelay.conversation import (
    AssistantText,
    CallsHandedOut,
    CodeBlock,
    ConversationEntry,
    DirectCalls,
    Finish,
    HandedCall,
    NewEntry,
    PlainMessage,
    ProgramFinished,
    ProgramsSpent,
    ProgramStarted,
    TextStreamed,
    TurnEvent,
    TurnReply,
    TurnRequest,
    TurnStarted,
    call_ids,
    turn_of,
)
from coderelay.conversation.model_view import outcome_for_model
from coderelay.conversation.outcome_text import after_text_round_trip
from coderelay.conversation.program_state import ProgramState
from coderelay.core import Call, Completed, Failed, Failure, Outcome, Program, Suspended
from coderelay.gateway import model_request
from coderelay.gateway.answer_in_progress import AnswerInProgress
from coderelay.gateway.answer_meaning import InvalidCall, Meaning, OwnCalls, PlainText, ProgramText
from coderelay.gateway.program_replay import needs_replay
from coderelay.gateway.receipt import TurnTotals
from coderelay.gateway.toolset import Toolset
from coderelay.gateway.turn_steps import (
    AskModel,
    Done,
    NotStarted,
    ReplayPrograms,
    RunProgram,
    Step,
    StepOrder,
)
from coderelay.models.answer_limits import MAX_ANSWER
from coderelay.models.model import Delta


class Turn:
    """One turn in progress. `new_id` makes the id of each program that the model writes.

    A call that does not belong to the last step raises `RuntimeError` and changes nothing. After
    any other error, the turn cannot be continued.
    """

    def __init__(
        self,
        request: TurnRequest,
        toolset: Toolset,
        started: TurnStarted,
        *,
        new_id: Callable[[], str],
        max_answer: int = MAX_ANSWER,
    ) -> None:
        """Raises `Unsupported` if the tools cannot be offered to a model."""
        self._request = request
        self._started = started
        self._new_id = new_id
        self._max_answer = max_answer
        self._offer = model_request.offer(request, toolset)
        self._entries: list[ConversationEntry] = list(request.entries)
        self._new: list[NewEntry] = []
        self._events: list[TurnEvent] = []
        self._order = StepOrder()
        self._answer = self._new_answer(for_format=False)
        self._programs_without_calls: list[Program] = []
        self._totals = TurnTotals(request.model)
        self._reasoning = ""
        self._invalid_calls = 0
        self._had_empty_answer = False

    def start(self) -> Step:
        """Return the first step: running the open program, if the history ends with one."""
        self._order.end("start", NotStarted)
        block = self._entries[-1] if self._entries else None
        if isinstance(block, CodeBlock) and block.open and block.state is not None:
            return self._order.go_to(RunProgram(block.state, block))
        self._events.append(self._started)
        return self._replay_or_ask()

    def program_stopped(self, outcome: Outcome) -> Step:
        """Report that the program of the last `RunProgram` waits for calls or has ended, and return
        the next step."""
        run = self._order.end("program_stopped", RunProgram)
        self._totals.fuel += outcome.fuel
        resumed = run.block.open
        if resumed:  # only now is the request known to be valid: see `Gateway.turn`
            self._events.append(self._started)
            self._entries.pop()
        if isinstance(outcome, Suspended):
            self._entries.append(run.block)
            self._add(CallsHandedOut(run.state, self._hand_out(run, outcome.calls)))
            return self._finish("tool_calls")
        self._end_program(run, outcome)
        return self._replay_or_ask() if resumed else self._ask()

    def programs_replayed(self, entries: Sequence[ConversationEntry]) -> Step:
        """Report the entries of the last `ReplayPrograms` with the outcomes that could be computed,
        and return the next step."""
        self._order.end("programs_replayed", ReplayPrograms)
        self._entries = [self._entry_in_history(entry) for entry in entries]
        return self._ask()

    def model_sent(self, delta: Delta) -> None:
        """Add the next piece of the model's answer."""
        self._order.check("model_sent", AskModel)
        event = self._answer.add(delta)
        if event is not None:
            self._events.append(event)

    def model_answered(self) -> Step:
        """Report that the model's answer is complete, and return the next step."""
        self._order.end("model_answered", AskModel)
        self._totals.add_answer(self._answer.answer)
        self._reasoning += self._answer.answer.reasoning
        meaning = self._answer.meaning()
        if self._answer.is_empty(meaning) and not self._had_empty_answer:
            self._had_empty_answer = True
            return self._ask()
        if self._answer.lacks_format(meaning):
            return self._ask(for_format=True)
        if text := self._answer.held_text(meaning):
            self._events.append(TextStreamed(text))
        return self._act(meaning)

    def take_events(self) -> list[TurnEvent]:
        """Return the events since the last call of this method, for the client."""
        events, self._events = self._events, []
        return events

    # Steps

    def _replay_or_ask(self) -> Step:
        if any(needs_replay(entry) for entry in self._entries):
            return self._order.go_to(ReplayPrograms(tuple(self._entries)))
        return self._ask()

    def _ask(self, *, for_format: bool = False) -> Step:
        """Return the step that asks the model. `for_format` asks only for text in the format that
        the client wants."""
        self._totals.model_calls += 1
        self._answer = self._new_answer(for_format=for_format)
        body = model_request.body(self._request, self._offer, self._entries, final=for_format)
        return self._order.go_to(AskModel(body))

    def _new_answer(self, *, for_format: bool) -> AnswerInProgress:
        return AnswerInProgress(
            self._request, self._offer, for_format=for_format, max_length=self._max_answer
        )

    def _act(self, meaning: Meaning) -> Step:
        """Return the step that does what the model's answer means."""
        answer = self._answer.answer
        match meaning:
            case PlainText(text):
                self._add(AssistantText(text, self._take_reasoning(), answer.extra, answer.refused))
                return self._finish(answer.finish)
            case OwnCalls(calls, text):
                self._add(DirectCalls(calls, self._text_beside(text), self._take_reasoning()))
                return self._finish("tool_calls")
            case InvalidCall():
                self._count_program(meaning.reason)
                self._invalid_calls += 1
                rejection = meaning.as_messages(self._invalid_calls)
                self._entries += [PlainMessage(message) for message in rejection]
                if text := self._text_beside(meaning.text):
                    self._add(AssistantText(text, self._take_reasoning()))
                return self._ask()
            case ProgramText(source, text):
                self._count_program(None)
                return self._begin(source, text)
            case _:
                assert_never(meaning)

    def _begin(self, source: str, text: str) -> Step:
        """Run a new program, unless it is too long to be carried by an id."""
        program = Program(self._request.language, source, self._new_id(), self._started.created)
        toolset = self._offer.toolset
        state = ProgramState(program, toolset.fingerprint, tools=toolset.mentioned([source]))
        self._add(ProgramStarted(state, self._text_beside(text), self._take_reasoning()))
        block = CodeBlock(state, text=text)
        if self._request.protocol == "messages" or call_ids.fits(state):
            return self._order.go_to(RunProgram(state, block))
        message = f"the program is {len(source):,} characters: write a shorter one"
        failed = Failed(Failure("limit", message, limit="source"))
        self._end_program(RunProgram(state, block), failed)
        return self._ask()

    def _finish(self, finish: Finish) -> Step:
        self._events.append(self._reply(finish))
        return self._order.go_to(Done())

    # What the entries become

    def _add(self, entry: NewEntry) -> None:
        self._new.append(entry)
        self._events.append(entry)

    def _end_program(self, run: RunProgram, outcome: Completed | Failed) -> None:
        cached = replace(run.block, outcome=self._outcome_in_history(outcome), open=False)
        self._entries.append(cached)
        if not run.block.open:
            self._programs_without_calls.append(run.state.program)
        self._add(ProgramFinished(run.state, outcome))

    def _outcome_in_history(self, outcome: Completed | Failed) -> Completed | Failed:
        """Return the outcome as it will come back with the client's history."""
        return after_text_round_trip(outcome) if self._request.outcome_form == "texts" else outcome

    def _entry_in_history(self, entry: ConversationEntry) -> ConversationEntry:
        if not isinstance(entry, CodeBlock) or entry.outcome is None:
            return entry
        return replace(entry, outcome=self._outcome_in_history(entry.outcome))

    def _hand_out(self, run: RunProgram, calls: tuple[Call, ...]) -> tuple[HandedCall, ...]:
        """Return the calls with their ids; only the first if the client wants one at a time. The
        state is in an id only if the history does not have it otherwise."""
        chosen = calls if self._request.parallel else calls[:1]
        if self._request.protocol == "messages" or run.block.open:
            return call_ids.hand_out_without_state(chosen, run.state.program)
        earlier = tuple(self._programs_without_calls)
        sources = [each.source for each in (*earlier, run.state.program)]
        tools = self._offer.toolset.mentioned(sources)
        return call_ids.hand_out(chosen, replace(run.state, earlier=earlier, tools=tools))

    # What an answer of the model comes to

    def _text_beside(self, text: str) -> str:
        """Return the text beside calls that the client gets: none if it wants a format, because
        then only the last text is sent."""
        offered = self._request.tools or self._request.offer_code_without_tools
        return "" if self._request.response_format is not None and offered else text

    def _take_reasoning(self) -> str:
        """Return the model's reasoning since the last entry, including answers that added none."""
        reasoning, self._reasoning = self._reasoning, ""
        return reasoning

    def _count_program(self, reason: str | None) -> None:
        """Raise `ProgramsSpent` if the turn already had as many programs as it may have."""
        blocks = [each for each in turn_of(self._entries) if isinstance(each, CodeBlock)]
        if len(blocks) + self._invalid_calls < self._request.max_programs:
            return
        outcome = blocks[-1].outcome if blocks else None
        last = (
            outcome_for_model(outcome)[:2_000]
            if isinstance(outcome, (Completed, Failed))
            else reason
        )
        raise ProgramsSpent(
            f"the model wrote {self._request.max_programs} programs and did not come to an answer: "
            f"ask for less, or raise max_programs. The last one: {last or 'unknown'}"
        )

    def _reply(self, finish: Finish) -> TurnReply:
        started, totals = self._started, self._totals
        receipt = totals.receipt(self._new, self._entries) if self._request.receipt else None
        usage, model, new = totals.usage, totals.model, tuple(self._new)
        return TurnReply(new, finish, usage, model, started.id, started.created, receipt)
