"""A header that decides something stands in a request once, or two servers may read it apart."""

from collections.abc import Sequence
from typing import TypeAlias

from coderelay.server.refusals import RepeatedHeader

Headers: TypeAlias = Sequence[tuple[bytes, bytes]]
"""Names, in small letters, and values, as ASGI has them."""


def only(headers: Headers, name: bytes) -> str | None:
    """The value of a header, or None where it is missing. Raises `RepeatedHeader` if it stands
    there twice."""
    values = [value for other, value in headers if other == name]
    if len(values) > 1:
        raise RepeatedHeader(f"the header {name.decode()!r} is there twice: send it once")
    return values[0].decode("latin-1") if values else None
