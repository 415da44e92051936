"""A model's answer, collected from its pieces."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import assert_never

from coderelay.conversation import Finish, UpstreamError, Usage
from coderelay.core import Json
from coderelay.models.protocol import (
    CallPiece,
    Counted,
    Delta,
    Finished,
    Named,
    ReasoningPiece,
    RefusalPiece,
    TextPiece,
)

_LONGEST = 16_000_000
_FINISHES: dict[str, Finish] = {"length": "length", "content_filter": "content_filter"}


@dataclass(slots=True)
class ModelCall:
    """A call as the model wrote it: the arguments are text, sound or not."""

    id: str = ""
    name: str = ""
    parts: list[str] = field(default_factory=list)
    extra: dict[str, Json] = field(default_factory=dict)

    @property
    def arguments(self) -> str:
        """The text of the arguments."""
        return "".join(self.parts)


@dataclass(slots=True)
class ModelAnswer:
    """What one model call came to."""

    finish: Finish = "stop"
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    extra: dict[str, Json] = field(default_factory=dict)
    refused: bool = False
    """The text says that the model refuses."""
    _texts: list[str] = field(default_factory=list)
    _thoughts: list[str] = field(default_factory=list)
    _calls: dict[int, ModelCall] = field(default_factory=dict)
    _length: int = 0

    @property
    def text(self) -> str:
        """What it said."""
        return "".join(self._texts)

    @property
    def reasoning(self) -> str:
        """What it thought aloud."""
        return "".join(self._thoughts)

    @property
    def calls(self) -> list[ModelCall]:
        """The calls, in the order in which they began."""
        return [call for call in self._calls.values() if call.name]

    def add(self, delta: Delta) -> None:
        """Take the next piece."""
        match delta:
            case TextPiece(text) | RefusalPiece(text):
                self.refused |= isinstance(delta, RefusalPiece) and not self._texts
                self._texts.append(text)
                self._count(text)
            case ReasoningPiece(text):
                self._thoughts.append(text)
                self._count(text)
            case CallPiece():
                self._add_call(delta)
            case Finished(reason):
                self.finish = _FINISHES.get(reason, "stop")
            case Counted(usage):
                self.usage = usage
            case Named(model, extra):
                self.model = model or self.model
                self.extra.update(extra)
            case _:
                assert_never(delta)

    def _add_call(self, piece: CallPiece) -> None:
        place = piece.place
        known = self._calls.get(place)
        if known is not None and piece.id and known.id and piece.id != known.id:
            place = max(self._calls) + 1  # some upstreams give all calls of an answer one index
        call = self._calls.setdefault(place, ModelCall())
        call.id = call.id or piece.id
        call.name = call.name or piece.name
        call.parts.append(piece.arguments)
        call.extra.update(_without_type(piece.extra))
        self._count(piece.arguments)

    def _count(self, text: str) -> None:
        self._length += len(text)
        if self._length > _LONGEST:
            raise UpstreamError("the model's answer does not come to an end")


def _without_type(extra: Mapping[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in extra.items() if key != "type"}
