"""The rules of one turn, as a state machine that does no I/O.

A turn serves one request: from the history that a client sent to the calls or the text that it gets
back. The driver takes the steps that the turn returns, and reports their results:

    step = turn.start()
    while not isinstance(step, Done):
        match step:
            case RunProgram():      step = turn.program_stopped(outcome, fingerprint)
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
from dataclasses import dataclass, replace
from typing import TypeAlias, assert_never

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
    ReasoningStreamed,
    Receipt,
    TextStreamed,
    TokenUsage,
    TurnEvent,
    TurnReply,
    TurnRequest,
    TurnStarted,
    call_ids,
    turn_of,
)
from coderelay.conversation.model_view import call_and_answer, fresh_id, outcome_for_model
from coderelay.conversation.outcome_text import after_text_round_trip
from coderelay.conversation.program_state import ProgramState
from coderelay.core import (
    Call,
    Completed,
    Failed,
    Failure,
    Json,
    Outcome,
    Program,
    Suspended,
)
from coderelay.gateway import model_request
from coderelay.gateway.answer_meaning import (
    InvalidCall,
    Meaning,
    OwnCalls,
    PlainText,
    ProgramText,
    interpret,
)
from coderelay.gateway.program_in_text import ProgramInText
from coderelay.gateway.program_replay import needs_replay
from coderelay.gateway.receipt import saved_tokens
from coderelay.gateway.toolset import Toolset
from coderelay.models.answer_limits import MAX_ANSWER
from coderelay.models.model import Delta, ReasoningPiece, RefusalPiece, TextPiece
from coderelay.models.model_answer import ModelAnswer


@dataclass(frozen=True, slots=True)
class RunProgram:
    """Run a program from its start with the answers in its block's journal."""

    program: Program
    block: CodeBlock


@dataclass(frozen=True, slots=True)
class ReplayPrograms:
    """Compute the outcomes of finished programs that the history does not contain."""

    entries: tuple[ConversationEntry, ...]


@dataclass(frozen=True, slots=True)
class AskModel:
    """Send a Chat Completions request to the model."""

    body: dict[str, Json]


@dataclass(frozen=True, slots=True)
class Done:
    """The turn is over; its last event is the `TurnReply`."""


Step: TypeAlias = RunProgram | ReplayPrograms | AskModel | Done


class Turn:
    """One turn in progress. `new_id` makes the id of each program that the model writes."""

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
        self._running: RunProgram | None = None
        self._answer = ModelAnswer(self._max_answer)
        self._in_text = ProgramInText(request.language, code_offered=False)
        self._asks_for_format = False
        self._programs_without_calls: list[Program] = []
        self._usage = TokenUsage()
        self._fingerprint = self._reasoning = ""
        self._model = request.model
        self._model_calls = self._fuel = self._invalid_calls = self._empty = 0

    def start(self) -> Step:
        """Return the first step: running the open program, if the history ends with one."""
        block = self._entries[-1] if self._entries else None
        if isinstance(block, CodeBlock) and block.open and block.program is not None:
            return self._run(block.program, block)
        self._events.append(self._started)
        return self._replay_or_ask()

    def program_stopped(self, outcome: Outcome, fingerprint: str) -> Step:
        """Report that the program of the last `RunProgram` waits for calls or has ended, and return
        the next step. `fingerprint` is the version of the sandbox that it ran in."""
        run, self._running = self._running, None
        assert run is not None
        self._fingerprint = fingerprint
        self._fuel += outcome.fuel
        resumed = run.block.open
        if resumed:  # only now is the request known to be valid: see `Gateway.turn`
            self._events.append(self._started)
            self._entries.pop()
        if isinstance(outcome, Suspended):
            self._entries.append(run.block)
            self._add(CallsHandedOut(run.program, self._hand_out(run.program, outcome.calls)))
            return self._finish("tool_calls")
        self._end_program(run, outcome)
        return self._replay_or_ask() if resumed else self._ask()

    def programs_replayed(self, entries: Sequence[ConversationEntry]) -> Step:
        """Report the entries of the last `ReplayPrograms` with the outcomes that could be computed,
        and return the next step."""
        self._entries = [self._entry_in_history(entry) for entry in entries]
        return self._ask()

    def model_sent(self, delta: Delta) -> None:
        """Add the next piece of the model's answer.

        Its text is passed on at once, unless it may be part of a program, may have to be asked for
        again in another format, or is a refusal, which is sent as a whole.
        """
        self._answer.add(delta)
        if isinstance(delta, ReasoningPiece):
            self._events.append(ReasoningStreamed(delta.text))
        elif isinstance(delta, (TextPiece, RefusalPiece)) and not self._answer.refused:
            text = self._in_text.feed(delta.text)
            if text and not self._holds_text:
                self._events.append(TextStreamed(text))

    def model_answered(self) -> Step:
        """Report that the model's answer is complete, and return the next step."""
        answer = self._answer
        self._usage += answer.usage
        self._reasoning += answer.reasoning
        self._model = answer.model or self._model
        if self._asks_for_format:
            return self._act(PlainText(answer.text))
        meaning = interpret(answer, self._in_text, self._offer)
        if isinstance(meaning, PlainText) and self._is_empty_answer(meaning):
            return self._ask()
        if isinstance(meaning, PlainText) and not self._has_format(meaning):
            return self._ask(for_format=True)
        if late := self._held_text(meaning):
            self._events.append(TextStreamed(late))
        return self._act(meaning)

    def take_events(self) -> list[TurnEvent]:
        """Return the events since the last call of this method, for the client."""
        events, self._events = self._events, []
        return events

    # Steps

    def _run(self, program: Program, block: CodeBlock) -> Step:
        self._running = RunProgram(program, block)
        return self._running

    def _replay_or_ask(self) -> Step:
        if any(needs_replay(entry) for entry in self._entries):
            return ReplayPrograms(tuple(self._entries))
        return self._ask()

    def _ask(self, *, for_format: bool = False) -> Step:
        """Return the step that asks the model. `for_format` asks only for text in the format that
        the client wants."""
        self._model_calls += 1
        self._answer = ModelAnswer(self._max_answer)
        self._asks_for_format = for_format
        watches = self._offer.code is not None and not for_format
        self._in_text = ProgramInText(self._request.language, code_offered=watches)
        return AskModel(
            model_request.body(self._request, self._offer, self._entries, final=for_format)
        )

    def _act(self, meaning: Meaning) -> Step:
        """Return the step that does what the model's answer means."""
        answer = self._answer
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
                self._entries += self._rejection(meaning)
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
        self._add(ProgramStarted(program, self._text_beside(text), self._take_reasoning()))
        block = CodeBlock(program, text=text)
        if self._request.protocol == "messages" or call_ids.fits(program):
            return self._run(program, block)
        message = f"the program is {len(source):,} characters: write a shorter one"
        failed = Failed(Failure("limit", message, limit="source"))
        self._end_program(RunProgram(program, block), failed)
        return self._ask()

    def _finish(self, finish: Finish) -> Step:
        self._events.append(self._reply(finish))
        return Done()

    # What the entries become

    def _add(self, entry: NewEntry) -> None:
        self._new.append(entry)
        self._events.append(entry)

    def _end_program(self, run: RunProgram, outcome: Completed | Failed) -> None:
        cached = replace(run.block, outcome=self._outcome_in_history(outcome), open=False)
        self._entries.append(cached)
        if not run.block.open:
            self._programs_without_calls.append(run.program)
        self._add(ProgramFinished(run.program, outcome))

    def _outcome_in_history(self, outcome: Completed | Failed) -> Completed | Failed:
        """Return the outcome as it will come back with the client's history."""
        return after_text_round_trip(outcome) if self._request.outcome_form == "texts" else outcome

    def _entry_in_history(self, entry: ConversationEntry) -> ConversationEntry:
        if not isinstance(entry, CodeBlock) or entry.outcome is None:
            return entry
        return replace(entry, outcome=self._outcome_in_history(entry.outcome))

    def _hand_out(self, program: Program, calls: tuple[Call, ...]) -> tuple[HandedCall, ...]:
        """Return the calls with their ids; only the first if the client wants one at a time."""
        chosen = calls if self._request.parallel else calls[:1]
        if self._request.protocol == "messages":
            return call_ids.hand_out_without_state(chosen, program)
        earlier = tuple(self._programs_without_calls)
        sources = [each.source for each in (*earlier, program)]
        tools = self._offer.toolset.mentioned(sources)
        state = ProgramState(program, self._fingerprint, earlier=earlier, tools=tools)
        return call_ids.hand_out(chosen, state)

    # What an answer of the model comes to

    @property
    def _wants_format(self) -> bool:
        """Whether the client wants a format that cannot be required while programs are offered.
        Then text is passed on only once it is known to have that format."""
        return self._request.response_format is not None and self._offer.code is not None

    @property
    def _holds_text(self) -> bool:
        return self._wants_format and not self._asks_for_format

    def _held_text(self, meaning: Meaning) -> str:
        """Return the text that was held back, if it turned out to be text for the client."""
        if self._wants_format:
            is_text = isinstance(meaning, PlainText) and not self._answer.refused
            return meaning.text if is_text else ""
        return self._in_text.rest() if meaning.text == self._answer.text else ""

    def _is_empty_answer(self, answer: PlainText) -> bool:
        """Return whether this is the first empty answer of the turn: then the model is asked once
        more."""
        if answer.text.strip() or self._answer.finish != "stop" or self._empty:
            return False
        self._empty += 1
        return True

    def _has_format(self, answer: PlainText) -> bool:
        if self._answer.refused or not self._wants_format:
            return True
        return model_request.matches_format(answer.text, self._request.response_format)

    def _text_beside(self, text: str) -> str:
        """Return the text beside calls that the client gets: none if it wants a format, because
        then only the last text is sent."""
        offered = self._request.tools or self._request.offer_code_without_tools
        return "" if self._request.response_format is not None and offered else text

    def _take_reasoning(self) -> str:
        """Return the model's reasoning since the last entry, including answers that added none."""
        reasoning, self._reasoning = self._reasoning, ""
        return reasoning

    def _rejection(self, step: InvalidCall) -> list[ConversationEntry]:
        id = fresh_id(self._invalid_calls, step.name, step.arguments)
        messages = call_and_answer(
            id, step.name, step.arguments, text=step.text, content=step.reason
        )
        return [PlainMessage(message) for message in messages]

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
        started = self._started
        receipt = self._receipt() if self._request.receipt else None
        return TurnReply(
            tuple(self._new), finish, self._usage, self._model, started.id, started.created, receipt
        )

    def _receipt(self) -> Receipt:
        return Receipt(
            programs=sum(isinstance(entry, ProgramStarted) for entry in self._new),
            calls=sum(len(each.calls) for each in self._new if isinstance(each, CallsHandedOut)),
            fuel=self._fuel,
            model_calls=self._model_calls,
            usage=self._usage,
            saved=saved_tokens(self._entries) if self._model_calls else 0,
        )
