"""What each path does, in a few lines: the work is in the packages below."""

from collections.abc import Awaitable, Callable
from functools import partial

from coderelay.conversation import TurnReply, TurnRequest
from coderelay.conversation.work_size import is_large_event
from coderelay.core import Json
from coderelay.declare import check_tools, code_tool, prompt
from coderelay.dialects import code_endpoints
from coderelay.dialects.dialect import Dialect
from coderelay.models.large_work import here_or_aside
from coderelay.programs import evaluate as run_program
from coderelay.server.exchange import JSON, Exchange, as_json
from coderelay.server.metrics import CONTENT_TYPE
from coderelay.server.relay import relay
from coderelay.server.service import Service
from coderelay.server.settings import Settings
from coderelay.server.streaming import Events, send_events

Handler = Callable[[Service, Exchange, Dialect], Awaitable[None]]


async def complete(service: Service, exchange: Exchange, dialect: Dialect) -> None:
    """A completion: passed on as it came, or a turn."""
    raw = await exchange.body(service.settings.max_body)
    request, large = await service.bodies.read(raw, partial(_turn_request, service, dialect))
    if request is None:
        return await relay(service, exchange, raw)
    del raw  # a turn may take long
    with service.turns.place():
        exchange.notes.update(mode="turn", language=request.language, stream=request.stream)
        await _turn(service, exchange, request, dialect, large=large)
    return None


def _turn_request(service: Service, dialect: Dialect, body: Json) -> TurnRequest | None:
    """The turn that a body asks for; None for a body that is passed on as it came."""
    if service.passthrough is not None and dialect.can_relay(body):
        return None
    return dialect.decode(body, service.defaults)


async def _turn(
    service: Service, exchange: Exchange, request: TurnRequest, dialect: Dialect, *, large: bool
) -> None:
    events = service.turn(request, exchange.key, large=large)
    if request.stream:
        await send_events(
            exchange,
            events,
            Events(dialect, request),
            keep_alive=service.settings.keep_alive,
            run_aside=service.readers.run,
        )
        return
    reply = [event async for event in events][-1]
    assert isinstance(reply, TurnReply)
    written = await here_or_aside(
        lambda: as_json(dialect.encode(reply, request)),
        service.readers.run,
        large=is_large_event(reply),
    )
    await exchange.reply_bytes(written, JSON)


async def evaluate(service: Service, exchange: Exchange, dialect: Dialect) -> None:
    """A program and its journal: the outcome."""
    raw = await exchange.body(service.settings.max_body)
    language, limits = service.settings.language, service.settings.limits
    with service.turns.place():
        decode = partial(code_endpoints.decode_evaluate, language=language, limits=limits)
        asked, _ = await service.bodies.read(raw, decode)
        del raw
        written = await service.workers.run(partial(_evaluated, asked, service.settings))
        await exchange.reply_bytes(written, JSON)


def _evaluated(asked: code_endpoints.EvaluateRequest, settings: Settings) -> bytes:
    outcome = run_program(
        asked.program,
        asked.tools,
        asked.journal,
        limits=settings.limits,
        undeclared_arguments=settings.undeclared_arguments,
    )
    return as_json(code_endpoints.encode_outcome(outcome))


async def declare(service: Service, exchange: Exchange, dialect: Dialect) -> None:
    """Tools: what a model is to be told of them."""
    raw = await exchange.body(service.settings.max_body)
    with service.turns.place():
        decode = partial(code_endpoints.decode_declarations, language=service.settings.language)
        asked, _ = await service.bodies.read(raw, decode)
        del raw
        tokens = service.settings.declaration_tokens
        written = await service.workers.run(partial(_declared, asked, tokens))
        await exchange.reply_bytes(written, JSON)


def _declared(asked: code_endpoints.DeclarationsRequest, tokens: int) -> bytes:
    check_tools(asked.tools)
    told = prompt(asked.tools, asked.language, tokens=tokens)
    tool = code_tool(asked.language)
    return as_json(code_endpoints.encode_declarations(told.declarations, told.instructions, tool))


async def count_tokens(service: Service, exchange: Exchange, dialect: Dialect) -> None:
    """About how many tokens the prompt of a request is."""
    counting = dialect.counting
    assert counting is not None
    raw = await exchange.body(service.settings.max_body)
    with service.turns.place():
        asked, _ = await service.bodies.read(
            raw, lambda body: counting.decode(body, service.defaults)
        )
        del raw
        tokens = await service.workers.run(partial(service.gateway.estimate, asked))
        await exchange.reply(counting.encode(tokens))


async def models(service: Service, exchange: Exchange, dialect: Dialect) -> None:
    """The upstream's models."""
    if service.passthrough is not None:
        await relay(service, exchange, await exchange.body(service.settings.max_body))
        return
    scripted = {"id": "scripted", "object": "model", "created": 0, "owned_by": "coderelay"}
    await exchange.reply({"object": "list", "data": [scripted]})


def constant(value: Json) -> Handler:
    """A handler that answers the same to everybody."""

    async def answer(service: Service, exchange: Exchange, dialect: Dialect) -> None:
        await exchange.reply(value)

    return answer


def page(html: str) -> Handler:
    """A handler that answers with a page, which may load and run nothing."""
    headers = {"content-security-policy": "default-src 'none'; style-src 'unsafe-inline'"}

    async def answer(service: Service, exchange: Exchange, dialect: Dialect) -> None:
        content_type = b"text/html; charset=utf-8"
        await exchange.reply_bytes(html.encode(), content_type, headers=headers)

    return answer


async def health(service: Service, exchange: Exchange, dialect: Dialect) -> None:
    """The process lives."""
    await exchange.reply({"service": "coderelay", "version": service.version, "status": "ok"})


async def readiness(service: Service, exchange: Exchange, dialect: Dialect) -> None:
    """The engines are warm."""
    problem = service.readiness.problem
    if problem is None:
        await exchange.reply({"status": "ready"})
    else:
        status = "failed" if service.readiness.failed else "not ready"
        await exchange.reply(
            {"status": status, "reason": problem}, status=503, headers={"retry-after": "1"}
        )


async def metrics(service: Service, exchange: Exchange, dialect: Dialect) -> None:
    """Counts, for Prometheus."""
    await exchange.reply_bytes(service.metrics.text(), CONTENT_TYPE.encode())
