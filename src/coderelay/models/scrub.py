"""A key is in nothing that a client is told: what an upstream says of a failure may repeat it."""

import re

HIDDEN = "***"


def scrub(text: str, *secrets: str | None) -> str:
    """The text without the secrets, as they are or as JSON or a URL would escape them."""
    for secret in filter(None, secrets):
        text = re.sub("".join(map(_written, secret)), HIDDEN, text)
    return text


def scrub_bytes(data: bytes, secret: str | None) -> bytes:
    """`scrub` for a text of an unknown encoding that has ASCII in it."""
    if not secret:
        return data
    in_utf8 = secret.encode("utf-8", "replace").decode("latin-1")
    return scrub(data.decode("latin-1"), secret, in_utf8).encode("latin-1")


def _written(character: str) -> str:
    """A pattern of all the ways to write a character."""
    plain = re.escape(character)
    code = ord(character)
    return rf"(?:{plain}|\\{plain}|(?i:\\u{code:04x}|%{code:02x}))"
