"""The parts of a server that all requests share. They are built once, and hold nothing about
clients."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version

import httpx

from coderelay.conversation import (
    CallsHandedOut,
    ProgramFinished,
    TurnEvent,
    TurnReply,
    TurnRequest,
)
from coderelay.core import Completed
from coderelay.dialects.kit.code_mode import Defaults
from coderelay.gateway import Gateway
from coderelay.languages.language_registry import engine
from coderelay.models.answer_limits import AnswerLimits
from coderelay.models.chat_client import ChatClient
from coderelay.models.http_transport import transport_for
from coderelay.models.large_work import RunBlocking
from coderelay.models.model import Model
from coderelay.models.passthrough import Passthrough
from coderelay.server.access import Hosts, Keys
from coderelay.server.admission import Admission
from coderelay.server.body_reader import BodyReader
from coderelay.server.demonstration_model import demonstration
from coderelay.server.metrics import Metrics
from coderelay.server.readiness import Readiness
from coderelay.server.settings import SCRIPTED, Settings
from coderelay.server.workers import Workers

_READERS = 2
"""How many threads work on large bodies and answers. They share the interpreter's lock, so more
threads would not be faster; with one, a large body would block all others."""


@dataclass(frozen=True, slots=True)
class Service:
    """The parts of a running server."""

    version: str
    settings: Settings
    defaults: Defaults
    hosts: Hosts
    keys: Keys
    connections: Admission
    turns: Admission
    workers: Workers
    """Threads that run programs."""
    readers: Workers
    """Threads for other work that takes too long for the event loop. Programs may occupy all their
    threads for seconds, and a large body that is only relayed must not wait for that."""
    bodies: BodyReader
    metrics: Metrics
    readiness: Readiness
    gateway: Gateway
    passthrough: Passthrough | None
    """Relays requests upstream, or None if the model is not an endpoint."""
    transport: httpx.AsyncBaseTransport | None

    def turn(
        self, request: TurnRequest, client_key: str | None, *, large: bool
    ) -> AsyncIterator[TurnEvent]:
        """Serve a turn and yield its events. Programs run on the worker threads, and all steps of a
        `large` request on the reader threads. Events are counted in the metrics."""
        return self.gateway.turn(
            request,
            key=self.settings.key_for_upstream(client_key),
            run_blocking=self.workers.run,
            run_aside=self.readers.run,
            large=large,
            observe=partial(self._count, request.language),
        )

    async def close(self) -> None:
        """Close threads and connections."""
        self.workers.close()
        self.readers.close()
        if self.transport is not None:
            await self.transport.aclose()

    def _count(self, language: str, event: TurnEvent) -> None:
        match event:
            case CallsHandedOut(calls=calls):
                self.metrics.calls(language, len(calls))
            case ProgramFinished(outcome=outcome):
                ended = "completed" if isinstance(outcome, Completed) else "failed"
                self.metrics.program(language, ended)
            case TurnReply(usage=usage):
                self.metrics.tokens(usage.prompt, usage.completion)
            case _:
                pass


def build(
    settings: Settings,
    model: Model | None = None,
    transport: httpx.AsyncBaseTransport | None = None,
) -> Service:
    """Build the parts of a server with these settings. A `model` replaces the upstream."""
    metrics = Metrics()
    readers = Workers(_READERS, name="reader")
    passthrough = None
    if model is None and settings.upstream == SCRIPTED:
        model = demonstration()
    if model is None:
        transport = transport or transport_for(settings.upstream)
        model, passthrough = _upstream(settings, transport, readers.run)
    return Service(
        version=_version(),
        settings=settings,
        defaults=Defaults(settings.language, settings.max_programs, settings.limits),
        hosts=Hosts((settings.host, *settings.allow_hosts), keys=bool(settings.client_keys)),
        keys=Keys(settings.client_keys),
        connections=Admission(settings.connections, "requests"),
        turns=Admission(settings.turns, "turns"),
        workers=Workers(settings.threads, metrics.guest),
        readers=readers,
        bodies=BodyReader(readers.run, _READERS),
        metrics=metrics,
        readiness=Readiness(settings.language),
        gateway=Gateway(
            model,
            engine,
            limits=settings.limits,
            declaration_tokens=settings.declaration_tokens,
            undeclared_arguments=settings.undeclared_arguments,
            max_answer=settings.max_answer,
        ),
        passthrough=passthrough,
        transport=transport,
    )


def _version() -> str:
    try:
        return version("coderelay")
    except PackageNotFoundError:
        return "unknown"


def _upstream(
    settings: Settings, transport: httpx.AsyncBaseTransport, run_aside: RunBlocking
) -> tuple[Model, Passthrough]:
    timeout = settings.upstream_timeout
    limits = AnswerLimits(settings.max_answer, settings.max_stream)
    model = ChatClient(
        settings.upstream,
        timeout=timeout,
        limits=limits,
        transport=transport,
        run_aside=run_aside,
    )
    return model, Passthrough(transport, settings.upstream, timeout=timeout, limits=limits)
