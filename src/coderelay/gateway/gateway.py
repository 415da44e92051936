"""Drives turns: runs their programs, asks the model, and passes on what happens."""

import secrets
import string
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from functools import partial
from typing import Protocol, TypeVar, assert_never

from coderelay.conversation import Event, Request, Started
from coderelay.core import DEFAULT_LIMITS, Limits, Outcome
from coderelay.declare import DECLARATION_TOKENS, UndeclaredArguments
from coderelay.gateway.estimate import estimated_tokens
from coderelay.gateway.replay import Replays, run_block
from coderelay.gateway.toolset import Engines, Toolset, Toolsets
from coderelay.gateway.turn import AskModel, Done, ReplayPrograms, RunProgram, Turn
from coderelay.models.protocol import Model

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
    """Plays turns with one model and one engine for each language. It keeps nothing of a turn but
    caches, which may be dropped at any time.

    `replay_fuel` is what all replays of finished programs may cost in one request: by default a
    fifth of what one step of a program may. Tools whose declarations would take more than
    `declaration_tokens` are listed in an index. `undeclared_arguments` says whether a call with an
    argument that its tool does not declare is refused.
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
        now: Callable[[], float] = time.time,
        new_id: Callable[[], str] = new_id,
    ) -> None:
        self._model = model
        self._limits = limits
        self._now = now
        self._new_id = new_id
        self._toolsets = Toolsets(engines, declaration_tokens, undeclared_arguments)
        share = min(limits.fuel, limits.step_fuel) // _REPLAY_SHARE
        fuel = share if replay_fuel is None else replay_fuel
        self._replays = Replays(self._toolsets, limits, fuel)

    async def turn(
        self,
        request: Request,
        *,
        key: str | None,
        run_blocking: RunBlocking,
        observe: Callable[[Event], None] = lambda event: None,
    ) -> AsyncGenerator[Event, None]:
        """Everything that a request leads to; `Started` first, the `Reply` last. `observe` is
        told of each event before it is passed on.

        Raises `RequestError`s before `Started`. Later: `UpstreamError`, `ProgramsSpent`, and
        `EngineError` where the server could not do its part.
        """
        toolset = await self._toolset(request, request.language, run_blocking)
        started = Started(self._new_id(), int(self._now()), request.model)
        turn = Turn(request, toolset, started, new_id=self._new_id)
        step = turn.start()
        while True:
            for event in turn.take_events():
                observe(event)
                yield event
            match step:
                case RunProgram():
                    step = turn.program_stopped(*await self._run(step, request, run_blocking))
                case ReplayPrograms(entries):
                    work = partial(self._replays.resolve, entries, toolset)
                    step = turn.programs_replayed(await run_blocking(work))
                case AskModel(body):
                    async with aclosing(self._model.stream(body, key=key)) as deltas:
                        async for delta in deltas:
                            turn.model_sent(delta)
                            for event in turn.take_events():
                                observe(event)
                                yield event
                    step = turn.model_answered()
                case Done():
                    return
                case _:
                    assert_never(step)

    def estimate(self, request: Request) -> int:
        """About how many tokens the model would be shown. Blocks, where the tools are new."""
        return estimated_tokens(request, self._toolsets.of(request.tools, request.language))

    async def _run(
        self, step: RunProgram, request: Request, run_blocking: RunBlocking
    ) -> tuple[Outcome, str]:
        toolset = await self._toolset(request, step.program.language, run_blocking)
        return await run_blocking(
            partial(run_block, toolset, step.program, step.block, self._limits)
        )

    async def _toolset(self, request: Request, language: str, run_blocking: RunBlocking) -> Toolset:
        """What follows from the tools in a language; new ones are worked out elsewhere."""
        known = self._toolsets.kept(request.tools, language)
        if known is not None:
            return known
        return await run_blocking(partial(self._toolsets.of, request.tools, language))
