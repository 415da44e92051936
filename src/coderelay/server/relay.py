"""Relays a request to the upstream unchanged, and the answer back."""

from coderelay.server.exchange import Exchange
from coderelay.server.refusals import NoSuchPath
from coderelay.server.service import Service

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
