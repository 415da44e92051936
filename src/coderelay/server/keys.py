"""Checks client keys, in constant time."""

from collections.abc import Sequence
from hashlib import sha256
from hmac import compare_digest

from coderelay.server.headers import Headers, only
from coderelay.server.refusals import Unauthorized

_NAMES = (b"authorization", b"x-api-key", b"api-key")
"""The headers in which a client may send its key; the first one with a key is used."""


class Keys:
    """The client keys. If there are none, everybody may use the server."""

    def __init__(self, keys: Sequence[str]) -> None:
        # Digests all have the same length, so comparing them does not reveal the length of a key.
        self._digests = [sha256(key.encode()).digest() for key in keys]

    def check(self, key: str | None) -> None:
        """Raise `Unauthorized` unless the key is one of the client keys."""
        if not self._digests:
            return
        if key is None:
            raise Unauthorized(
                "the key is missing: send it as 'Authorization: Bearer <key>' or as 'x-api-key'"
            )
        sent = sha256(key.encode()).digest()
        matching = [compare_digest(sent, digest) for digest in self._digests]
        if not any(matching):
            raise Unauthorized("the key is wrong: ask the operator of this server for a client key")


def key_of(headers: Headers) -> str | None:
    """Return the client's key, or None. OpenAI's clients send it as `Authorization`, Anthropic's as
    `x-api-key`, Azure's as `api-key`. Raises `RepeatedHeader` if one of them is repeated."""
    authorization, *plain = (only(headers, name) or "" for name in _NAMES)
    scheme, _, key = authorization.partition(" ")
    if scheme.lower() != "bearer":
        key = next(filter(None, plain), "")
    key = key.strip()
    usable = key.isascii() and key.isprintable()  # others cannot be sent upstream in a header
    return key if key and usable else None
