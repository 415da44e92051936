"""What the server asks of a dialect; how one looks inside is none of its business."""

from collections.abc import Mapping
from typing import Protocol

from coderelay.conversation import Event, Reply, Request
from coderelay.core import Json
from coderelay.dialects.chat import Defaults


class Encoder(Protocol):
    """An answer in pieces."""

    def feed(self, event: Event) -> list[Json]:
        """What is to be sent when this happens."""


class Dialect(Protocol):
    """A client API. The modules of `coderelay.dialects` are such."""

    def untouched(self, body: Json) -> bool:
        """Whether a request needs nothing of us, so that its bytes can be passed on."""

    def decode(self, body: Json, defaults: Defaults) -> Request:
        """The request, in no API's words."""

    def encode(self, reply: Reply, request: Request) -> Json:
        """The answer, whole."""

    def Stream(self, request: Request) -> Encoder:  # noqa: N802
        """The answer, in pieces."""

    def error_body(self, error: Exception) -> tuple[int, Json, Mapping[str, str]]:
        """Status, body and headers for what went wrong."""

    def error_object(
        self, message: str, *, type: str, param: str | None = None, code: str | None = None
    ) -> Json:
        """An error in the API's own shape."""
