"""What needs nothing of us is passed on byte by byte, both ways."""

from coderelay.server.exchange import Exchange
from coderelay.server.refusals import NoSuchPath
from coderelay.server.service import Service

PREFIX = "/v1"
"""What a base URL ends with, here and upstream."""


async def relay(service: Service, exchange: Exchange, raw: bytes) -> None:
    """Send a request upstream as it came, and the answer back as it comes."""
    if service.passthrough is None:
        raise NoSuchPath("the scripted model has nothing at this path")
    exchange.notes["mode"] = "relayed"
    sending = service.passthrough.send(
        # not HEAD: the answer's length would be that of a body which does not come
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
