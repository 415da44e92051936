"""Who may use the server. Keys are compared in constant time and never leave this module."""

from collections.abc import Sequence
from hashlib import sha256
from hmac import compare_digest

from coderelay.server.headers import Headers, only
from coderelay.server.refusals import Unauthorized

_NAMES = (b"authorization", b"x-api-key", b"api-key")
"""The headers in which a client may send its key; the first that has one counts."""


class Keys:
    """The keys that open the server; with none, everybody may use it."""

    def __init__(self, keys: Sequence[str]) -> None:
        # Digests have one length, so that comparing them tells nothing of a key's.
        self._digests = [sha256(key.encode()).digest() for key in keys]

    def check(self, key: str | None) -> None:
        """Raise `Unauthorized` unless the key is one of ours."""
        if not self._digests:
            return
        if key is None:
            raise Unauthorized(
                "no key: send one as 'Authorization: Bearer <key>' or as 'x-api-key'"
            )
        given = sha256(key.encode()).digest()
        matching = [compare_digest(given, digest) for digest in self._digests]
        if not any(matching):
            raise Unauthorized("wrong key: this server has its own client keys; ask its operator")


def key_of(headers: Headers) -> str | None:
    """The client's key: OpenAI's clients send `Authorization`, Anthropic's `x-api-key`, and
    Azure's `api-key`. Raises `RepeatedHeader` where one of them is there twice."""
    authorization, *plain = (only(headers, name) or "" for name in _NAMES)
    scheme, _, key = authorization.partition(" ")
    if scheme.lower() != "bearer":
        key = next(filter(None, plain), "")
    key = key.strip()
    usable = key.isascii() and key.isprintable()  # no other can be sent on in a header
    return key if key and usable else None
