"""The handlers of all paths. They are short: the work is done in other packages."""

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
from coderelay.server.refusals import NoSuchPath
from coderelay.server.service import Service
from coderelay.server.settings import Settings
from coderelay.server.streaming import Events, send_events

Handler = Callable[[Service, Exchange, Dialect], Awaitable[None]]


async def complete(service: Service, exchange: Exchange, dialect: Dialect) -> None:
    """Serve a completion in any dialect: relay it upstream, or serve it as a turn."""
    raw = await exchange.body(service.settings.max_body)
    request, large = await service.bodies.read(raw, partial(_turn_request, service, dialect))
    if request is None:
        return await relay(service, exchange, raw)
    del raw  # frees memory: a turn may take long
    with service.turns.place():
        exchange.notes.update(mode="turn", language=request.language, stream=request.stream)
        await _turn(service, exchange, request, dialect, large=large)
    return None


def _turn_request(service: Service, dialect: Dialect, body: Json) -> TurnRequest | None:
    """Return the request for a turn, or None if the body can be relayed upstream."""
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
    """Run a program with its journal, and answer with the outcome."""
    raw = await exchange.body(service.settings.max_body)
    language, limits = service.settings.language, service.settings.limits
    with service.turns.place():
        decode = partial(code_endpoints.decode_evaluate, language=language, limits=limits)
        request, _ = await service.bodies.read(raw, decode)
        del raw
        written = await service.workers.run(partial(_evaluated, request, service.settings))
        await exchange.reply_bytes(written, JSON)


def _evaluated(request: code_endpoints.EvaluateRequest, settings: Settings) -> bytes:
    outcome = run_program(
        request.program,
        request.tools,
        request.journal,
        limits=settings.limits,
        undeclared_arguments=settings.undeclared_arguments,
    )
    return as_json(code_endpoints.encode_outcome(outcome))


async def declare(service: Service, exchange: Exchange, dialect: Dialect) -> None:
    """Answer with the declarations and instructions for tools."""
    raw = await exchange.body(service.settings.max_body)
    with service.turns.place():
        decode = partial(code_endpoints.decode_declarations, language=service.settings.language)
        request, _ = await service.bodies.read(raw, decode)
        del raw
        tokens = service.settings.declaration_tokens
        written = await service.workers.run(partial(_declared, request, tokens))
        await exchange.reply_bytes(written, JSON)


def _declared(request: code_endpoints.DeclarationsRequest, tokens: int) -> bytes:
    check_tools(request.tools)
    text = prompt(request.tools, request.language, tokens=tokens)
    tool = code_tool(request.language)
    return as_json(code_endpoints.encode_declarations(text.declarations, text.instructions, tool))


async def count_tokens(service: Service, exchange: Exchange, dialect: Dialect) -> None:
    """Answer with an estimate of the tokens in a request's prompt."""
    counting = dialect.counting
    assert counting is not None
    raw = await exchange.body(service.settings.max_body)
    with service.turns.place():
        request, _ = await service.bodies.read(
            raw, lambda body: counting.decode(body, service.defaults)
        )
        del raw
        tokens = await service.workers.run(partial(service.gateway.estimate, request))
        await exchange.reply(counting.encode(tokens))


async def models(service: Service, exchange: Exchange, dialect: Dialect) -> None:
    """Answer with the list of the upstream's models."""
    if service.passthrough is not None:
        await relay(service, exchange, await exchange.body(service.settings.max_body))
        return
    scripted = {"id": "scripted", "object": "model", "created": 0, "owned_by": "coderelay"}
    await exchange.reply({"object": "list", "data": [scripted]})


def constant(value: Json) -> Handler:
    """Return a handler that always answers with this value."""

    async def answer(service: Service, exchange: Exchange, dialect: Dialect) -> None:
        await exchange.reply(value)

    return answer


def page(html: str) -> Handler:
    """Return a handler that answers with a page. The page may not load or run anything."""
    headers = {"content-security-policy": "default-src 'none'; style-src 'unsafe-inline'"}

    async def answer(service: Service, exchange: Exchange, dialect: Dialect) -> None:
        content_type = b"text/html; charset=utf-8"
        await exchange.reply_bytes(html.encode(), content_type, headers=headers)

    return answer


async def health(service: Service, exchange: Exchange, dialect: Dialect) -> None:
    """Answer that the process is alive."""
    await exchange.reply({"service": "coderelay", "version": service.version, "status": "ok"})


async def readiness(service: Service, exchange: Exchange, dialect: Dialect) -> None:
    """Answer whether the engines are loaded."""
    problem = service.readiness.problem
    if problem is None:
        await exchange.reply({"status": "ready"})
    else:
        status = "failed" if service.readiness.failed else "not ready"
        await exchange.reply(
            {"status": status, "reason": problem}, status=503, headers={"retry-after": "1"}
        )


async def metrics(service: Service, exchange: Exchange, dialect: Dialect) -> None:
    """Answer with the metrics in the format of Prometheus."""
    await exchange.reply_bytes(service.metrics.text(), CONTENT_TYPE.encode())


PREFIX = "/v1"
"""The end of a base URL, of this server and of the upstream."""


async def relay(service: Service, exchange: Exchange, raw: bytes) -> None:
    """Send a request upstream unchanged, and stream the answer back."""
    if service.passthrough is None:
        raise NoSuchPath("the scripted model does not have this path: set --upstream to a server")
    exchange.notes["mode"] = "relayed"
    sending = service.passthrough.send(
        # Not HEAD: the answer would have the length of a body that does not come.
        "GET" if exchange.method == "HEAD" else exchange.method,
        exchange.path.removeprefix(PREFIX),
        raw,
        headers=exchange.raw_headers,
        key=service.settings.key_for_upstream(exchange.key),
    )
    async with sending as answer:
        await exchange.start(answer.status, answer.headers)
        async for piece in answer.body:
            await exchange.write(piece)
    await exchange.write(b"", more=False)
