"""The steps of every request: check host and key, take a place, call the handler, write the log."""

import asyncio
import logging
import time
from typing import Literal, TypeAlias

from starlette.types import Receive, Scope, Send

from coderelay.core import CoderelayError, Json
from coderelay.dialects.dialect import Dialect
from coderelay.server.access import key_of
from coderelay.server.exchange import CLIENT_CLOSED_REQUEST, Exchange
from coderelay.server.handlers import Handler
from coderelay.server.logs import log, log_bug
from coderelay.server.refusals import ClientDisconnected, RequestRefused
from coderelay.server.service import Service
from coderelay.server.streaming import event

Access: TypeAlias = Literal["client", "monitor", "probe"]
"""Who a path is for. A monitor needs no key, takes no place and is not logged. A probe may also use
any host name."""


class RequestPipeline:
    """An ASGI application for one path."""

    def __init__(
        self, service: Service, handler: Handler, dialect: Dialect, access: Access = "client"
    ) -> None:
        self._service = service
        self._handler = handler
        self._dialect = dialect
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI: serve one request."""
        exchange = Exchange(scope, receive, send)
        if self._access != "client":
            return await self._serve(exchange)
        began = time.perf_counter()
        self._service.metrics.began()
        try:
            await self._serve(exchange)
        finally:
            exchange.finish()
            self._record(exchange, time.perf_counter() - began)
        return None

    async def _serve(self, exchange: Exchange) -> None:
        service = self._service
        try:
            if self._access != "probe":
                service.hosts.check(exchange.raw_headers, exchange.http_version)
            if self._access != "client":
                return await self._handler(service, exchange, self._dialect)
            exchange.key = key_of(exchange.raw_headers)
            service.keys.check(exchange.key)
            with service.connections.place():
                await self._handler(service, exchange, self._dialect)
        except asyncio.CancelledError:
            if not exchange.disconnected:
                raise
        except ClientDisconnected:
            pass
        except Exception as error:
            await self._refuse(exchange, error)
        return None

    async def _refuse(self, exchange: Exchange, error: Exception) -> None:
        """Send the error: as the answer, or at the end of a stream that has already begun."""
        if not isinstance(error, CoderelayError):
            log_bug("bug", error, request_id=exchange.id)
        exchange.notes["error"] = type(error).__name__
        status, body, headers = self._error(error)
        if "request_id" in body:
            body["request_id"] = exchange.id
        if not exchange.status:
            await exchange.reply(body, status=status, headers=headers)
        elif exchange.events:
            tell = exchange.encode_failure or event
            await exchange.write(tell(body), more=False)
        # Any other answer that has begun can only be cut short: the server closes the connection.

    def _error(self, error: Exception) -> tuple[int, Json, dict[str, str]]:
        if isinstance(error, RequestRefused):
            body = self._dialect.error_object(str(error), type=error.kind, code=error.code)
            return error.status, body, dict(error.headers)
        status, body, headers = self._dialect.error_body(error)
        return status, body, dict(headers)

    def _record(self, exchange: Exchange, seconds: float) -> None:
        status = CLIENT_CLOSED_REQUEST if exchange.disconnected else exchange.status
        self._service.metrics.ended(exchange.path, status, seconds)
        log(
            "request",
            level=logging.INFO if status < 500 else logging.WARNING,
            request_id=exchange.id,
            method=exchange.method,
            path=exchange.path,
            status=status,
            ms=round(seconds * 1000, 2),
            received=exchange.received,
            sent=exchange.sent,
            **exchange.notes,
        )
