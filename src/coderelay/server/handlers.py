"""What each path does, in a few lines: the work is in the packages below."""

from collections.abc import Awaitable, Callable
from functools import partial

from coderelay.conversation import Reply, Request
from coderelay.core import Json
from coderelay.declare import check_tools, code_tool, prompt
from coderelay.dialects import code
from coderelay.dialects.dialect import Dialect
from coderelay.run import evaluate as run_program
from coderelay.server.exchange import Exchange
from coderelay.server.metrics import CONTENT_TYPE
from coderelay.server.relay import relay
from coderelay.server.service import Service
from coderelay.server.streaming import Events, send_events

Handler = Callable[[Service, Exchange, Dialect], Awaitable[None]]


async def complete(service: Service, exchange: Exchange, dialect: Dialect) -> None:
    """A completion: passed on as it came, or a turn."""
    raw = await exchange.body(service.settings.body)
    body = exchange.parsed(raw)
    if dialect.relays(body) and service.passthrough is not None:
        return await relay(service, exchange, raw)
    with service.turns.place():
        request = dialect.decode(body, service.defaults)
        exchange.notes.update(mode="turn", language=request.language, stream=request.stream)
        await _turn(service, exchange, request, dialect)
    return None


async def _turn(service: Service, exchange: Exchange, request: Request, dialect: Dialect) -> None:
    events = service.turn(request, exchange.key)
    if request.stream:
        answer = Events(dialect, request)
        await send_events(exchange, events, answer, keep_alive=service.settings.keep_alive)
        return
    reply = [event async for event in events][-1]
    assert isinstance(reply, Reply)
    await exchange.reply(dialect.encode(reply, request))


async def evaluate(service: Service, exchange: Exchange, dialect: Dialect) -> None:
    """A program and its journal: the outcome."""
    body = exchange.parsed(await exchange.body(service.settings.body))
    settings = service.settings
    with service.turns.place():
        asked = code.decode_evaluate(body, language=settings.language, limits=settings.limits)
        run = partial(
            run_program,
            asked.program,
            asked.tools,
            asked.journal,
            limits=settings.limits,
            undeclared_arguments=settings.undeclared_arguments,
        )
        outcome = await service.workers.run(run)
        await exchange.reply(code.encode_outcome(outcome))


async def declare(service: Service, exchange: Exchange, dialect: Dialect) -> None:
    """Tools: what a model is to be told of them."""
    body = exchange.parsed(await exchange.body(service.settings.body))
    with service.turns.place():
        asked = code.decode_declarations(body, language=service.settings.language)
        tokens = service.settings.declaration_tokens
        await exchange.reply(await service.workers.run(partial(_declared, asked, tokens)))


def _declared(asked: code.DeclarationsRequest, tokens: int) -> Json:
    check_tools(asked.tools)
    told = prompt(asked.tools, asked.language, tokens=tokens)
    return code.encode_declarations(told.declarations, told.instructions, code_tool(asked.language))


async def count_tokens(service: Service, exchange: Exchange, dialect: Dialect) -> None:
    """About how many tokens the prompt of a request is."""
    counting = dialect.counting
    assert counting is not None
    body = exchange.parsed(await exchange.body(service.settings.body))
    with service.turns.place():
        asked = counting.decode(body, service.defaults)
        tokens = await service.workers.run(partial(service.gateway.estimate, asked))
        await exchange.reply(counting.encode(tokens))


async def models(service: Service, exchange: Exchange, dialect: Dialect) -> None:
    """The upstream's models."""
    if service.passthrough is not None:
        await relay(service, exchange, await exchange.body(service.settings.body))
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
