"""One turn: programs are run and the model is asked, until the client is needed or it has spoken.

- An open block is run first. Where it waits for calls, they are the whole answer.
- The model is asked again when a program ended, well or badly, up to `max_programs` a turn.
- Calls are handed out under ids that carry the program; nothing is kept here between requests.
"""

import secrets
import string
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import Protocol, TypeVar, assert_never

from coderelay.conversation import (
    Called,
    CalledDirectly,
    CodeBlock,
    ConversationEntry,
    Ended,
    Event,
    Finish,
    HandedCall,
    NewEntry,
    Plain,
    ProgramsSpent,
    ReasoningDelta,
    Receipt,
    Reply,
    Request,
    Said,
    Started,
    TextDelta,
    Usage,
    Wrote,
    token,
    turn_of,
)
from coderelay.conversation.output import recalled
from coderelay.conversation.shown import exchange, fresh_id, told
from coderelay.core import (
    DEFAULT_LIMITS,
    Call,
    Completed,
    Failed,
    Failure,
    Limits,
    Outcome,
    Program,
    Suspended,
)
from coderelay.declare import DECLARATION_TOKENS
from coderelay.gateway import asking
from coderelay.gateway.answer import ModelAnswer
from coderelay.gateway.estimate import estimated_tokens
from coderelay.gateway.receipt import saved_tokens
from coderelay.gateway.replay import Replays, needs_replay, run_block
from coderelay.gateway.speech import Speech
from coderelay.gateway.toolset import Toolset, Toolsets
from coderelay.gateway.understanding import Code, Direct, Meaning, Misstep, Offer, Words, understand
from coderelay.models.protocol import Model, ReasoningPiece, RefusalPiece, TextPiece

T = TypeVar("T")

_REPLAY_SHARE = 5

_ALPHABET = string.ascii_letters + string.digits


class RunBlocking(Protocol):
    """Runs blocking work elsewhere, such as on a worker thread."""

    def __call__(self, work: Callable[[], T], /) -> Awaitable[T]:
        """The work's value, or its exception."""


def new_id() -> str:
    """Nine letters and digits that no other program has."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(9))


class Gateway:
    """Plays turns. It keeps nothing of them but what may be dropped at any time.

    `replay_fuel` is what all replays of finished blocks may cost in one request: by default a
    fifth of what one program may. Tools whose declarations would take more than
    `declaration_tokens` are told of in an index.
    """

    def __init__(
        self,
        model: Model,
        *,
        limits: Limits = DEFAULT_LIMITS,
        replay_fuel: int | None = None,
        declaration_tokens: int = DECLARATION_TOKENS,
        now: Callable[[], float] = time.time,
        new_id: Callable[[], str] = new_id,
    ) -> None:
        self.model = model
        self.limits = limits
        self.now = now
        self.new_id = new_id
        self.toolsets = Toolsets(declaration_tokens)
        fuel = limits.fuel // _REPLAY_SHARE if replay_fuel is None else replay_fuel
        self.replays = Replays(self.toolsets, limits, fuel)

    def turn(
        self, request: Request, *, key: str | None, run_blocking: RunBlocking
    ) -> AsyncGenerator[Event, None]:
        """Everything that a request leads to; `Started` first, the `Reply` last.

        Raises `RequestError`s before `Started`. Later: `UpstreamError`, `ProgramsSpent`, and
        `EngineError` where the server could not do its part.
        """
        return Turn(self, request, key=key, run_blocking=run_blocking).events()

    def estimate(self, request: Request) -> int:
        """About how many tokens the model would be shown. Blocks, where the tools are new."""
        return estimated_tokens(request, self.toolsets.of(request.tools, request.language))


class Turn:
    """One turn under way."""

    def __init__(
        self, gateway: Gateway, request: Request, *, key: str | None, run_blocking: RunBlocking
    ) -> None:
        self._gateway = gateway
        self._request = request
        self._key = key
        self._run_blocking = run_blocking
        self._toolset: Toolset
        self._entries: list[ConversationEntry] = list(request.entries)
        self._new: list[NewEntry] = []
        self._earlier: list[Program] = []
        self._started = Started("", 0, "")
        self._usage = Usage()
        self._fingerprint = self._thoughts = ""
        self._model = request.model
        self._asked = self._fuel = self._missteps = self._empty = 0

    async def events(self) -> AsyncGenerator[Event, None]:
        """The turn, step by step."""
        now = int(self._gateway.now())
        self._started = Started(self._gateway.new_id(), now, self._request.model)
        self._toolset = await self._prepare()
        offered = asking.offer(self._request, self._toolset)
        block = self._entries[-1] if self._entries else None
        ended: NewEntry | None = None
        if isinstance(block, CodeBlock) and block.open and block.program is not None:
            ended = await self._go_on(block, block.program)
        yield self._started
        if ended is not None:
            yield self._add(ended)
            if isinstance(ended, Called):
                yield self._reply("tool_calls")
                return
        await self._replay()
        async with aclosing(self._ask_on(offered)) as events:
            async for event in events:
                yield event

    async def _prepare(self) -> Toolset:
        """What follows from the tools; worked out elsewhere, where it is not known yet."""
        toolsets, request = self._gateway.toolsets, self._request
        known = toolsets.kept(request.tools, request.language)
        if known is not None:
            return known
        return await self._run_blocking(partial(toolsets.of, request.tools, request.language))

    async def _go_on(self, block: CodeBlock, program: Program) -> Called | Ended:
        """Run the open block with all the answers that are there."""
        outcome = await self._run(program, block)
        if isinstance(outcome, Suspended):
            return Called(program, self._hand_out(program, outcome.calls))
        self._entries[-1] = replace(block, outcome=self._kept(outcome), open=False)
        return Ended(program, outcome)

    def _kept(self, outcome: Completed | Failed) -> Completed | Failed:
        """An outcome as the client's history will keep it."""
        return recalled(outcome) if self._request.outcomes == "texts" else outcome

    async def _run(self, program: Program, block: CodeBlock) -> Outcome:
        toolset, gateway = self._toolset, self._gateway
        if program.language != toolset.language:
            make = partial(gateway.toolsets.of, self._request.tools, program.language)
            toolset = await self._run_blocking(make)
        work = partial(run_block, toolset, program, block, gateway.limits)
        outcome, self._fingerprint = await self._run_blocking(work)
        self._fuel += outcome.fuel
        return outcome

    async def _replay(self) -> None:
        if any(needs_replay(entry) for entry in self._entries):
            work = partial(self._gateway.replays.resolve, self._entries, self._toolset)
            self._entries = [self._as_kept(entry) for entry in await self._run_blocking(work)]

    def _as_kept(self, entry: ConversationEntry) -> ConversationEntry:
        if not isinstance(entry, CodeBlock) or entry.outcome is None:
            return entry
        return replace(entry, outcome=self._kept(entry.outcome))

    async def _ask_on(self, offered: Offer) -> AsyncGenerator[Event, None]:
        """Ask the model, and do what it means, until there is something for the client."""
        while True:
            speech = Speech(self._request.language, code_offered=offered.code is not None)
            answer = ModelAnswer()
            async with aclosing(self._ask(answer, speech, offered)) as events:
                async for event in events:
                    yield event
            meaning = understand(answer, speech, offered)
            if isinstance(meaning, Words) and self._is_odd(meaning, answer):
                continue
            if isinstance(meaning, Words) and not self._formatted(meaning, answer, offered):
                answer, speech = ModelAnswer(), Speech("", code_offered=False)
                async with aclosing(self._ask(answer, speech, offered, final=True)) as events:
                    async for event in events:
                        yield event
                meaning = Words(answer.text)
            elif late := self._late(meaning, answer, speech, offered):
                yield TextDelta(late)
            async for event in self._act(meaning, answer):
                yield event
            if not isinstance(meaning, Misstep) and not isinstance(self._new[-1], Ended):
                yield self._reply(self._finish(answer))
                return

    async def _ask(
        self, answer: ModelAnswer, speech: Speech, offered: Offer, *, final: bool = False
    ) -> AsyncGenerator[Event, None]:
        """One model call. Its text is told on as it comes, unless it may be a program, may have
        to be asked for again in another format, or is a refusal, which comes whole."""
        self._asked += 1
        body = asking.body(self._request, offered, self._entries, final=final)
        quiet = self._holds_text(offered) and not final
        async with aclosing(self._gateway.model.stream(body, key=self._key)) as deltas:
            async for delta in deltas:
                answer.add(delta)
                if isinstance(delta, ReasoningPiece):
                    yield ReasoningDelta(delta.text)
                elif isinstance(delta, (TextPiece, RefusalPiece)) and not answer.refused:
                    told_now = speech.feed(delta.text)
                    if told_now and not quiet:
                        yield TextDelta(told_now)
        self._usage += answer.usage
        self._thoughts += answer.reasoning
        self._model = answer.model or self._model

    def _holds_text(self, offered: Offer) -> bool:
        return self._request.response_format is not None and offered.code is not None

    def _late(self, meaning: Meaning, answer: ModelAnswer, speech: Speech, offered: Offer) -> str:
        """The text that was held back, and turned out to be words after all."""
        if self._holds_text(offered):
            return meaning.text if isinstance(meaning, Words) and not answer.refused else ""
        return speech.rest() if meaning.text == answer.text else ""

    def _is_odd(self, words: Words, answer: ModelAnswer) -> bool:
        """Whether the model said nothing at all, for the first time: it is asked once more."""
        if words.text.strip() or answer.finish != "stop" or self._empty:
            return False
        self._empty += 1
        return True

    def _formatted(self, words: Words, answer: ModelAnswer, offered: Offer) -> bool:
        if answer.refused or not self._holds_text(offered):
            return True
        return asking.fits(words.text, self._request.response_format)

    async def _act(self, meaning: Meaning, answer: ModelAnswer) -> AsyncGenerator[Event, None]:
        match meaning:
            case Words(text):
                yield self._add(Said(text, self._thought(), answer.extra, answer.refused))
            case Direct(calls, text):
                yield self._add(CalledDirectly(calls, self._beside(text), self._thought()))
            case Misstep():
                self._count_program(meaning.reason)
                self._missteps += 1
                self._entries += self._told_off(meaning)
                if text := self._beside(meaning.text):
                    yield self._add(Said(text, self._thought()))
            case Code(source, text):
                self._count_program(None)
                program = Program(
                    self._request.language, source, self._gateway.new_id(), self._started.created
                )
                yield self._add(Wrote(program, self._beside(text), self._thought()))
                yield self._add(await self._begin(program, text))
            case _:
                assert_never(meaning)

    async def _begin(self, program: Program, text: str) -> Called | Ended:
        """Run a new program until it waits or ends."""
        block = CodeBlock(program, text=text)
        outcome = self._too_long(program) or await self._run(program, block)
        if isinstance(outcome, Suspended):
            self._entries.append(block)
            return Called(program, self._hand_out(program, outcome.calls))
        self._entries.append(replace(block, outcome=self._kept(outcome)))
        self._earlier.append(program)
        return Ended(program, outcome)

    def _too_long(self, program: Program) -> Failed | None:
        """A program must fit into an id, where it rides in one."""
        if self._request.protocol == "messages" or token.fits(program):
            return None
        message = f"the program is {len(program.source):,} characters: write a shorter one"
        return Failed(Failure("limit", message, limit="source"))

    def _hand_out(self, program: Program, calls: tuple[Call, ...]) -> tuple[HandedCall, ...]:
        """The calls under their ids: one at a time, where the client wants that."""
        chosen = calls if self._request.parallel else calls[:1]
        if self._request.protocol == "messages":
            return tuple(
                HandedCall(token.short(program.id, call), call.index, call.name, call.arguments)
                for call in chosen
            )
        return token.hand_out(program, chosen, fingerprint=self._fingerprint, earlier=self._earlier)

    def _beside(self, text: str) -> str:
        """Text beside calls; where the client wants a format, only the last text may be told."""
        offered = self._request.tools or self._request.bare
        return "" if self._request.response_format is not None and offered else text

    def _thought(self) -> str:
        """What was thought since the last entry, by answers that came to none, too."""
        thoughts, self._thoughts = self._thoughts, ""
        return thoughts

    def _told_off(self, step: Misstep) -> list[ConversationEntry]:
        id = fresh_id(self._missteps, step.name, step.arguments)
        messages = exchange(id, step.name, step.arguments, text=step.text, content=step.reason)
        return [Plain(message) for message in messages]

    def _count_program(self, reason: str | None) -> None:
        """Raise `ProgramsSpent` where the turn has had all the programs it may have."""
        blocks = [each for each in turn_of(self._entries) if isinstance(each, CodeBlock)]
        if len(blocks) + self._missteps < self._request.max_programs:
            return
        outcome = blocks[-1].outcome if blocks else None
        last = told(outcome)[:2_000] if isinstance(outcome, (Completed, Failed)) else reason
        raise ProgramsSpent(
            f"the model wrote {self._request.max_programs} programs and did not come to an answer: "
            f"ask for less, or raise max_programs. The last one: {last or 'unknown'}"
        )

    def _finish(self, answer: ModelAnswer) -> Finish:
        return answer.finish if isinstance(self._new[-1], Said) else "tool_calls"

    def _add(self, entry: NewEntry) -> NewEntry:
        self._new.append(entry)
        return entry

    def _reply(self, finish: Finish) -> Reply:
        receipt = None
        if self._request.receipt:
            receipt = Receipt(
                programs=sum(isinstance(entry, Wrote) for entry in self._new),
                calls=sum(len(each.calls) for each in self._new if isinstance(each, Called)),
                fuel=self._fuel,
                model_calls=self._asked,
                usage=self._usage,
                saved=saved_tokens(self._entries) if self._asked else 0,
            )
        started = self._started
        return Reply(
            tuple(self._new),
            finish,
            self._usage,
            self._model,
            started.id,
            started.created,
            receipt,
        )
