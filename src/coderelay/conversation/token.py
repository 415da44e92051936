"""The id of a tool call carries what a server without memory needs to go on.

- The first call of a program: `cr1_<token>`. The token is base64url of a format byte, a checksum
  and the deflated program with all that a replay needs beside it.
- Every other call: `cr1_<program>_<index>_<digest of the arguments>`.

This is the only place that knows how an id looks. Ids are a pure function of program and call.
Nothing is signed: whoever may send a token may send a program anyway.
"""

import base64
import binascii
import json
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from coderelay.conversation.entries import HandedCall
from coderelay.conversation.errors import DamagedToken
from coderelay.core import Call, InvalidProgram, Json, Program
from coderelay.core.jsonvalue import digest

MAX_ID = 64_000
"""Clients were measured to echo ids up to this length."""
MAX_INFLATED = 1_000_000
"""What a token may unpack to: a small one could otherwise hold gigabytes."""

MOST_EARLIER = 100
"""Programs without calls that a token may tell of."""

_PREFIX = "cr1_"
_FORMAT = b"\xfd"  # base64url writes it as '_': no short id begins so, and the forms never mix
_SHORT = re.compile(r"cr1_([A-Za-z0-9-]{1,64})_([0-9]{1,6})_([0-9a-f]{16})")
_PLAIN = re.compile(r"[A-Za-z0-9-]{1,64}")
_NEVER_TOO_LONG = 20_000


class _Unsound(ValueError):
    """What is wrong with a token, in our own words."""


@dataclass(frozen=True, slots=True)
class First:
    """What the first call's id says: the program, and what led to it.

    `earlier` are the programs without calls that ended before it in the turn: no id of their own
    carries them.
    """

    program: Program
    fingerprint: str
    index: int
    digest: str
    earlier: tuple[Program, ...] = ()


@dataclass(frozen=True, slots=True)
class Later:
    """What any other call's id says. `program` is the key of the program's id."""

    program: str
    index: int
    digest: str


def is_ours(id: Json) -> bool:
    """Whether an id was handed out by this server, or pretends to be."""
    return isinstance(id, str) and id.startswith(_PREFIX)


def key(program_id: str) -> str:
    """The program's id as it stands in a call id: itself, or its digest where it does not fit."""
    if _PLAIN.fullmatch(program_id):
        return program_id
    return "x-" + sha256(program_id.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def encode(first: First) -> str:
    """The id of a program's first call. Of the earlier programs, the oldest give way to length."""
    earlier = first.earlier
    while True:
        packed = _pack(first, earlier)
        if not earlier or (packed is not None and len(packed) < MAX_ID):
            return packed or ""
        earlier = earlier[1:]


def fits(program: Program) -> bool:
    """Whether a program is short enough to ride in an id."""
    if len(program.source) < _NEVER_TOO_LONG // 4:
        return True
    packed = _pack(First(program, "f" * 80, 0, "0" * 16), ())
    return packed is not None and len(packed) < MAX_ID


def short(program_id: str, call: Call) -> str:
    """The id of a call whose program is carried by something else."""
    return f"{_PREFIX}{key(program_id)}_{call.index}_{digest(call.arguments)}"


def hand_out(
    program: Program, calls: Sequence[Call], *, fingerprint: str, earlier: Sequence[Program]
) -> tuple[HandedCall, ...]:
    """The calls under the ids that carry the program."""
    return tuple(
        HandedCall(
            encode(First(program, fingerprint, 0, digest(call.arguments), tuple(earlier)))
            if call.index == 0
            else short(program.id, call),
            call.index,
            call.name,
            call.arguments,
        )
        for call in calls
    )


def decode(id: str) -> First | Later:
    """What an id of ours says. Raises `DamagedToken` where it says nothing sound."""
    match = _SHORT.fullmatch(id)
    if match is not None:
        return Later(match[1], int(match[2]), match[3])
    if len(id) >= MAX_ID:
        raise _damaged(id, f"is longer than {MAX_ID:,} characters")
    try:
        return _unpack(_bytes(id))
    except (ValueError, TypeError, KeyError, RecursionError, zlib.error) as error:
        reason = str(error) if isinstance(error, _Unsound) else "cannot be read"
        raise _damaged(id, reason) from error


def _pack(first: First, earlier: Sequence[Program]) -> str | None:
    fields = [
        _fields(first.program),
        first.fingerprint,
        first.index,
        first.digest,
        [_fields(program) for program in earlier],
    ]
    plain = json.dumps(fields, separators=(",", ":")).encode()
    if len(plain) > MAX_INFLATED:
        return None
    packed = zlib.compress(plain, 6, wbits=-15)
    whole = _FORMAT + zlib.crc32(packed).to_bytes(4, "big") + packed
    return _PREFIX + base64.urlsafe_b64encode(whole).rstrip(b"=").decode()


def _bytes(id: str) -> bytes:
    text = id[len(_PREFIX) :]
    if not re.fullmatch(r"[A-Za-z0-9_-]*", text):
        raise _Unsound("holds a character that no id has")
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except binascii.Error as error:
        raise _Unsound("is cut") from error


def _unpack(whole: bytes) -> First:
    if whole[:1] != _FORMAT:
        raise _Unsound("has no form that this server knows")
    packed = whole[5:]
    if zlib.crc32(packed).to_bytes(4, "big") != whole[1:5]:
        raise _Unsound("is cut or changed: its checksum does not hold")
    inflate = zlib.decompressobj(wbits=-15)
    plain = inflate.decompress(packed, MAX_INFLATED)
    if inflate.unconsumed_tail or not inflate.eof or inflate.unused_data:
        raise _Unsound("unpacks to more than a token may hold")
    program, fingerprint, index, called, earlier = json.loads(plain)
    if not (
        isinstance(fingerprint, str)
        and type(index) is int
        and isinstance(called, str)
        and isinstance(earlier, list)
        and len(earlier) <= MOST_EARLIER
    ):
        raise _Unsound("holds something else than a program")
    return First(
        _program(program), fingerprint, index, called, tuple(_program(each) for each in earlier)
    )


def _fields(program: Program) -> list[Json]:
    return [program.id, program.language, program.created, program.source]


def _program(fields: Json) -> Program:
    id, language, created, source = fields
    if not isinstance(language, str) or not isinstance(source, str):
        raise _Unsound("holds something else than a program")
    try:
        return Program(language, source, id, created)
    except InvalidProgram as error:
        raise _Unsound("holds something else than a program") from error


def _damaged(id: str, reason: str) -> DamagedToken:
    shown = id if len(id) <= 40 else f"{id[:28]}…{id[-8:]}"
    return DamagedToken(
        f"the call id {shown!r} {reason}: send ids back exactly as they were handed out"
    )
