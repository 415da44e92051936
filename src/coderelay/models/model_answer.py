"""A model's answer is put together from its pieces, up to a limit."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from io import StringIO
from typing import assert_never

from coderelay.conversation import Finish, TokenUsage, UpstreamError
from coderelay.core import Json
from coderelay.core.json_values import dump
from coderelay.models.answer_limits import MAX_ANSWER
from coderelay.models.model import (
    CallPiece,
    Delta,
    FinishPiece,
    ModelNamePiece,
    NewMessagesPiece,
    ReasoningPiece,
    RefusalPiece,
    TextPiece,
    UsagePiece,
)

_PER_CALL, _PER_FIELD = 1_000, 100
"""Characters that a call and a further field count for besides their text, since an empty one takes
memory, too."""
_FINISHES: dict[str, Finish] = {"length": "length", "content_filter": "content_filter"}


@dataclass(slots=True)
class ModelCall:
    """A call as the model wrote it. The arguments are text, which may not be valid JSON."""

    id: str = ""
    name: str = ""
    extra: dict[str, Json] = field(default_factory=dict)
    written: StringIO = field(default_factory=StringIO)

    @property
    def arguments(self) -> str:
        """The text of the arguments."""
        return self.written.getvalue()


@dataclass(slots=True)
class ModelAnswer:
    """A model's answer to one request."""

    longest: int = MAX_ANSWER
    """Characters that it may have, all its parts together."""
    finish: Finish = "stop"
    usage: TokenUsage = field(default_factory=TokenUsage)
    model: str = ""
    extra: dict[str, Json] = field(default_factory=dict)
    refused: bool = False
    """Whether the text is a refusal."""
    # not lists of pieces: of a text in pieces of one letter each they take twenty times its memory
    _text: StringIO = field(default_factory=StringIO)
    _reasoning: StringIO = field(default_factory=StringIO)
    _calls: dict[int, ModelCall] = field(default_factory=dict)
    _next_place: int = 0
    _latest: dict[int, int] = field(default_factory=dict)
    """The place of the call that an index was last used for."""
    _places: dict[tuple[int, str], int] = field(default_factory=dict)
    """The place of the call with an index and an id."""
    _length: int = 0
    _lengths: dict[tuple[int | None, str], int] = field(default_factory=dict)
    """What each further field counts for, by the place of its call."""

    @property
    def text(self) -> str:
        """The text, or the text of a refusal."""
        return self._text.getvalue()

    @property
    def reasoning(self) -> str:
        """The model's reasoning, where the endpoint sends it."""
        return self._reasoning.getvalue()

    @property
    def calls(self) -> list[ModelCall]:
        """The calls, in the order in which they began."""
        return [call for call in self._calls.values() if call.name]

    def add(self, delta: Delta) -> None:
        """Add the next piece. Raises `UpstreamError` if the answer is too long."""
        match delta:
            case TextPiece(text) | RefusalPiece(text):
                self._count(len(text))
                self.refused |= isinstance(delta, RefusalPiece) and self._text.tell() == 0
                self._text.write(text)
            case ReasoningPiece(text):
                self._count(len(text))
                self._reasoning.write(text)
            case CallPiece():
                self._add_call(delta)
            case FinishPiece(reason):
                self.finish = _FINISHES.get(reason, "stop")
            case UsagePiece(usage):
                self.usage = usage
            case NewMessagesPiece():
                pass  # our own server's protocol: no model speaks it
            case ModelNamePiece(model, extra):
                self.model = model or self.model
                self._add_fields(self.extra, extra)
            case _:
                assert_never(delta)

    def _add_call(self, piece: CallPiece) -> None:
        place = self._place(piece.place, piece.id)
        self._next_place = max(self._next_place, place + 1)
        if place not in self._calls:
            self._count(_PER_CALL)
        self._count(len(piece.arguments) + len(piece.id) + len(piece.name))
        call = self._calls.setdefault(place, ModelCall())
        call.id = call.id or piece.id
        call.name = call.name or piece.name
        call.written.write(piece.arguments)
        self._add_fields(call.extra, _without_type(piece.extra), place)

    def _place(self, index: int, id: str) -> int:
        """Return the place of the call that a piece belongs to. Some endpoints give all calls of an
        answer the same index: then the id tells them apart, and a piece without an id belongs to
        the call before it."""
        place = self._latest.get(index, index)
        known = self._calls.get(place)
        if id and known is not None and known.id and known.id != id:
            place = self._places.get((index, id), self._next_place)
        if id:
            self._places[index, id] = place
        self._latest[index] = place
        return place

    def _add_fields(
        self, known: dict[str, Json], fields: Mapping[str, Json], place: int | None = None
    ) -> None:
        """Some endpoints send a field with every piece: only the last value is kept and counted."""
        for name, value in fields.items():
            if name in known:
                self._count(-self._lengths[place, name])
            else:
                self._count(len(name) + _PER_FIELD)
            self._lengths[place, name] = length = len(dump(value))
            self._count(length)
            known[name] = value

    def _count(self, length: int) -> None:
        self._length += length
        if self._length > self.longest:
            raise UpstreamError(f"the model's answer is longer than {self.longest:,} characters")


def _without_type(extra: Mapping[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in extra.items() if key != "type"}
