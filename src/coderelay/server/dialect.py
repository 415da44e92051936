"""What the server asks of a dialect; how one looks inside is none of its business."""

from collections.abc import Mapping
from typing import Protocol

from coderelay.conversation import Event, Reply, Request
from coderelay.core import Json
from coderelay.dialects.defaults import Defaults


class Encoder(Protocol):
    """An answer in pieces."""

    def feed(self, event: Event) -> list[Json]:
        """What is to be sent when this happens."""

    def fail(self, error: Json) -> list[Json]:
        """What is to be sent when the answer breaks off; `error` is the body of an error."""


class Dialect(Protocol):
    """A client API. The packages of `coderelay.dialects` are such.

    In a stream, `NAMED_EVENTS` says that every event carries its `type` as its name, and `DONE` is
    what the last one says, if there is such a one.
    """

    NAMED_EVENTS: bool
    DONE: str | None

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
