"""Reads headers that may occur only once.

If a header is repeated, a proxy may use the first value and this server the last, which attackers
can exploit. So a repeated one is refused.
"""

from collections.abc import Sequence
from typing import TypeAlias

from coderelay.server.refusals import RepeatedHeader

Headers: TypeAlias = Sequence[tuple[bytes, bytes]]
"""Names in lower case and values, as in ASGI."""


def only(headers: Headers, name: bytes) -> str | None:
    """Return the value of a header, or None if it is missing. Raises `RepeatedHeader` if it occurs
    more than once."""
    values = [value for other, value in headers if other == name]
    if len(values) > 1:
        raise RepeatedHeader(f"the header {name.decode()!r} is there twice: send it once")
    return values[0].decode("latin-1") if values else None
