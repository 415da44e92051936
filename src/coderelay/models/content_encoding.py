"""A compressed body is decompressed a little at a time, so that a short one cannot fill the
memory."""

import zlib
from collections.abc import Callable, Iterator

from coderelay.conversation import UpstreamError

PIECE = 64 * 1024
"""The most bytes that are decompressed at once."""
_LONGEST_NAME = 40
"""Characters of an unknown coding's name that an error shows."""

Unpack = Callable[[bytes], Iterator[bytes]]


def unpacker(coding: str) -> Unpack:
    """A function that decompresses a body in this content coding, piece by piece.

    Raises `UpstreamError` for an unknown coding. So does the function for a damaged body.
    """
    match coding.strip().lower():
        case "" | "identity":
            return lambda piece: iter((piece,))
        case "gzip" | "x-gzip":
            return _Inflater(zlib.MAX_WBITS | 16).feed
        case "deflate":
            return _Inflater(zlib.MAX_WBITS, -zlib.MAX_WBITS).feed
        case _:
            raise UpstreamError(
                f"the model's endpoint answered in the content coding {coding[:_LONGEST_NAME]!r}, "
                "which is unknown here: have it answer without one"
            )


class _Inflater:
    """Decompresses with the first of the window sizes that fits: some servers send "deflate"
    without the header of two bytes that it should have."""

    def __init__(self, *windows: int) -> None:
        self._inflate = zlib.decompressobj(windows[0])
        self._other_windows = list(windows[1:])
        self._start = b""

    def feed(self, piece: bytes) -> Iterator[bytes]:
        if self._other_windows:
            piece = self._start = self._start + piece
            if len(piece) < 2:
                return
        while piece and not self._inflate.eof:  # what follows the end is ignored
            yield self._next(piece)
            piece = self._inflate.unconsumed_tail

    def _next(self, piece: bytes) -> bytes:
        while True:
            try:
                unpacked = self._inflate.decompress(piece, PIECE)
            except zlib.error:
                if not self._other_windows:
                    reason = "the model's endpoint sent a compressed answer that is damaged"
                    raise UpstreamError(reason) from None
                self._inflate = zlib.decompressobj(self._other_windows.pop())
            else:
                self._other_windows.clear()
                return unpacked
