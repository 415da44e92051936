"""Drives turns: runs their programs, asks the model, and yields the events of a turn."""

import secrets
import string
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from functools import partial
from typing import assert_never

from coderelay.conversation import TurnEvent, TurnRequest, TurnStarted
from coderelay.conversation.work_size import is_large_outcome
from coderelay.core import DEFAULT_LIMITS, Json, Limits, Outcome
from coderelay.core.json_writer import is_small
from coderelay.core.limits import KB
from coderelay.declare import DECLARATION_TOKENS, UndeclaredArguments
from coderelay.gateway.program_replay import Replays, run_block
from coderelay.gateway.token_estimate import estimated_tokens
from coderelay.gateway.toolset import Engines, Toolset, Toolsets
from coderelay.gateway.turn import Turn
from coderelay.gateway.turn_steps import AskModel, Done, ReplayPrograms, RunProgram, Step
from coderelay.models.answer_limits import MAX_ANSWER
from coderelay.models.large_work import RunBlocking, here_or_aside
from coderelay.models.model import CallPiece, Delta, Model, ModelNamePiece, UsagePiece

_REPLAY_SHARE = 5
_SHORT_ANSWER = 64 * KB
"""How many characters of an answer are worked on in the event loop; longer ones run elsewhere."""

_ALPHABET = string.ascii_letters + string.digits


def new_id() -> str:
    """Return a random id for a program: nine letters and digits."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(9))


class _Steps:
    """Takes the steps of a turn in the event loop, or elsewhere once something in it is large."""

    def __init__(self, run_aside: RunBlocking, *, large: bool) -> None:
        self.large = large
        self._run_aside = run_aside
        self._received = 0

    async def take(self, step: Callable[[], Step]) -> Step:
        """Take a step and return the next one."""
        return await here_or_aside(step, self._run_aside, large=self.large)

    async def receive(self, turn: Turn, delta: Delta) -> None:
        """Give the turn the next piece of the model's answer."""
        self._received += len(getattr(delta, "text", "") or getattr(delta, "arguments", ""))
        large = not is_small(*_values(delta))
        self.large |= large or self._received > _SHORT_ANSWER
        await here_or_aside(partial(turn.model_sent, delta), self._run_aside, large=large)


def _values(delta: Delta) -> tuple[Json, ...]:
    """The values in a piece that may be large. A long text comes in several pieces."""
    match delta:
        case CallPiece(arguments=arguments, extra=extra):
            return arguments, extra
        case UsagePiece(usage):
            return (usage.details,)
        case ModelNamePiece(model, extra):
            return model, extra
        case _:
            return ()


class Gateway:
    """Serves turns with one model and one engine for each language.

    It stores nothing about a turn but caches, which can be dropped at any time.

    `replay_fuel` is the fuel for all replays of finished programs in one request; the default is a
    fifth of what one step of a program may spend. If the declarations of the tools would take more
    than `declaration_tokens`, the model gets an index instead. `undeclared_arguments` says whether
    a call with an argument that its tool does not declare is refused.
    """

    def __init__(
        self,
        model: Model,
        engines: Engines,
        *,
        limits: Limits = DEFAULT_LIMITS,
        replay_fuel: int | None = None,
        declaration_tokens: int = DECLARATION_TOKENS,
        undeclared_arguments: UndeclaredArguments = "refuse",
        max_answer: int = MAX_ANSWER,
        now: Callable[[], float] = time.time,
        new_id: Callable[[], str] = new_id,
    ) -> None:
        self._model = model
        self._limits = limits
        self._now = now
        self._new_id = new_id
        self._max_answer = max_answer
        self._toolsets = Toolsets(engines, declaration_tokens, undeclared_arguments)
        share = min(limits.fuel, limits.step_fuel) // _REPLAY_SHARE
        fuel = share if replay_fuel is None else replay_fuel
        self._replays = Replays(self._toolsets, limits, fuel)

    async def turn(
        self,
        request: TurnRequest,
        *,
        key: str | None,
        run_blocking: RunBlocking,
        run_aside: RunBlocking | None = None,
        large: bool = False,
        observe: Callable[[TurnEvent], None] = lambda event: None,
    ) -> AsyncGenerator[TurnEvent, None]:
        """Serve a request and yield its events, `TurnStarted` first and `TurnReply` last. `observe`
        is called with each event before it is yielded.

        `run_blocking` runs the programs. `run_aside` takes the steps that would block the event
        loop for long: all of them, if the request is `large`.

        Raises `RequestError` before `TurnStarted`. After it: `UpstreamError`, `ProgramsSpent`, and
        `EngineError` if the server failed.
        """
        toolset = await self._toolset(request, request.language, run_blocking)
        started = TurnStarted(self._new_id(), int(self._now()), request.model)
        turn = Turn(request, toolset, started, new_id=self._new_id, max_answer=self._max_answer)
        steps = _Steps(run_aside or run_blocking, large=large)
        step = await steps.take(turn.start)
        while True:
            for event in turn.take_events():
                observe(event)
                yield event
            match step:
                case RunProgram():
                    outcome = await self._run(step, request, run_blocking)
                    steps.large |= is_large_outcome(outcome)
                    step = await steps.take(partial(turn.program_stopped, outcome))
                case ReplayPrograms(entries):
                    work = partial(self._replays.resolve, entries, toolset)
                    known = await run_blocking(work)
                    step = await steps.take(partial(turn.programs_replayed, known))
                case AskModel(body):
                    async with aclosing(self._model.stream(body, key=key)) as deltas:
                        async for delta in deltas:
                            await steps.receive(turn, delta)
                            for event in turn.take_events():
                                observe(event)
                                yield event
                    step = await steps.take(turn.model_answered)
                case Done():
                    return
                case _:
                    assert_never(step)

    def estimate(self, request: TurnRequest) -> int:
        """Return an estimate of the prompt's tokens. This blocks if the tools are new."""
        return estimated_tokens(request, self._toolsets.of(request.tools, request.language))

    async def _run(
        self, step: RunProgram, request: TurnRequest, run_blocking: RunBlocking
    ) -> Outcome:
        toolset = await self._toolset(request, step.state.program.language, run_blocking)
        return await run_blocking(partial(run_block, toolset, step.state, step.block, self._limits))

    async def _toolset(
        self, request: TurnRequest, language: str, run_blocking: RunBlocking
    ) -> Toolset:
        """Return the toolset of a request, from the cache or built by `run_blocking`."""
        known = self._toolsets.cached(request.tools, language)
        if known is not None:
            return known
        return await run_blocking(partial(self._toolsets.of, request.tools, language))
