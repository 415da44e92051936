"""Packs state into a text of letters, digits, `-` and `_` that a client sends back unchanged.

    base64url( format byte, CRC-32, deflate( JSON object ) )

This is the only format of state in call ids, block ids, fingerprints and messages. How it may
change:

- A reader ignores fields that it does not know. So a release may add a field, and servers of the
  previous release can still continue the conversation.
- A field that must not be ignored is listed in the field `needs`. A server that does not know it
  refuses the text, and says that a newer server made it.
- Any other change gets its own format byte, and a release reads it before another writes it. The
  first version wrote a list of five values, which is still read.
- Nothing may be in it that varies while a program waits: a request that continues a program gets
  the same ids however often it is sent.

Nothing is signed: see docs/design/no-signature.md. The checksum detects accidental damage.
"""

import base64
import binascii
import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

from coderelay.conversation.turn_errors import TooLarge
from coderelay.core import Json
from coderelay.core.json_counts import Counts, check_counts
from coderelay.core.json_reader import read_json
from coderelay.core.json_values import NotJson

_MOST = Counts(items=10_000, containers=10_000)
"""How many values a state may have. It consists of a few long strings."""
MOST_INFLATED = 16_000_000
"""How many bytes all texts of a history together may unpack to."""

_NAMED_FIELDS = b"\xfe"
_FIRST_VERSION = b"\xfd"
_BEGINNING = "_"
"""The first character of every text: the first six bits of a format byte are ones."""
_TEXT = re.compile(r"[A-Za-z0-9_-]*")
_PLACES = ("program", "fingerprint", "index", "arguments", "earlier")


class InflateBudget:
    """How many bytes the state texts of one history may still unpack to."""

    def __init__(self, left: int = MOST_INFLATED) -> None:
        self.left = left


@dataclass(frozen=True, slots=True)
class TextLimits:
    """How long a text may be, and how many bytes it may unpack to: without a limit, a short text
    could hold gigabytes."""

    characters: int
    inflated: int


class UnreadableState(ValueError):
    """A text has no state that this server can read. The message says why, and continues a sentence
    such as "the call id …"."""


class DamagedText(UnreadableState):
    """A text is not as it was handed out."""


class NewerText(UnreadableState):
    """A newer version of this server made the text, and this version must not ignore what is in
    it."""


def is_state(text: str) -> bool:
    """Return whether a text begins like a state of this server. Others were made elsewhere."""
    return text.startswith(_BEGINNING)


def pack(fields: Mapping[str, Json], limits: TextLimits) -> str | None:
    """Return the text that carries the fields, or None if it would be too long."""
    plain = json.dumps(fields, separators=(",", ":"), sort_keys=True).encode()
    if len(plain) > limits.inflated:
        return None
    packed = zlib.compress(plain, 6, wbits=-15)
    whole = _NAMED_FIELDS + zlib.crc32(packed).to_bytes(4, "big") + packed
    text = base64.urlsafe_b64encode(whole).rstrip(b"=").decode()
    return text if len(text) <= limits.characters else None


def unpack(
    text: str, limits: TextLimits, *, known: frozenset[str], budget: InflateBudget
) -> dict[str, Json]:
    """Return the fields in a text. `known` are the fields that the caller understands, and `budget`
    limits what all texts of a history unpack to.

    Raises `UnreadableState`, and `TooLarge` if the budget is spent.
    """
    if len(text) > limits.characters:
        raise DamagedText(f"is longer than {limits.characters:,} characters")
    fields = _parse(_inflate(_decode(text), limits.inflated, budget))
    unknown = set(_names(fields.get("needs", []))) - known
    if unknown:
        raise NewerText(
            f"was made by a newer version of this server, which needs {', '.join(sorted(unknown))}"
        )
    return fields


def _decode(text: str) -> bytes:
    if not _TEXT.fullmatch(text):
        raise DamagedText("has a character that is never in it")
    if not is_state(text):
        raise DamagedText("does not begin as it was handed out")
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except binascii.Error as error:
        raise DamagedText("was cut short") from error


def _inflate(whole: bytes, most: int, budget: InflateBudget) -> tuple[bytes, bytes]:
    """Return the format byte and the JSON text."""
    form, checksum, packed = whole[:1], whole[1:5], whole[5:]
    if zlib.crc32(packed).to_bytes(4, "big") != checksum:
        raise DamagedText("was cut short or changed (its checksum does not match)")
    if form not in (_NAMED_FIELDS, _FIRST_VERSION):
        raise NewerText("has a format that this version of the server does not know")
    inflate = zlib.decompressobj(wbits=-15)
    try:
        plain = inflate.decompress(packed, min(most, budget.left + 1))
    except zlib.error as error:
        raise DamagedText("cannot be read") from error
    budget.left -= len(plain)
    if budget.left < 0:
        raise TooLarge(
            "the programs in the ids of this history unpack to too many bytes: "
            "send a shorter history"
        )
    if inflate.unconsumed_tail or not inflate.eof or inflate.unused_data:
        raise DamagedText(f"unpacks to more than {most:,} bytes")
    return form, plain


def _parse(read: tuple[bytes, bytes]) -> dict[str, Json]:
    form, plain = read
    try:
        check_counts(plain, _MOST)
        value = read_json(plain)
    except NotJson as error:
        raise DamagedText("cannot be read") from error
    if form == _FIRST_VERSION and isinstance(value, list) and len(value) == len(_PLACES):
        return dict(zip(_PLACES, value, strict=True))
    if form == _NAMED_FIELDS and isinstance(value, dict):
        return value
    raise DamagedText("cannot be read")


def _names(needs: Json) -> list[str]:
    if isinstance(needs, list) and all(isinstance(each, str) and len(each) < 40 for each in needs):
        return needs
    raise DamagedText("cannot be read")
