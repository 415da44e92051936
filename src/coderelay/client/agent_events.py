"""The events of a turn, for a user interface."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from coderelay.client.answer_calls import Answered, Called
from coderelay.core import Completed, Failed, Json, Program


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The next piece of the model's text."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """The next piece of the model's reasoning, where its endpoint sends it."""

    text: str


@dataclass(frozen=True, slots=True)
class ProgramWritten:
    """The model wrote a program; its calls follow."""

    program: Program


@dataclass(frozen=True, slots=True)
class ProgramEnded:
    """The program with this id completed or failed."""

    id: str
    outcome: Completed | Failed


@dataclass(frozen=True, slots=True)
class Answer:
    """The last event: the whole text, why it ended (`stop`, `length`, `content_filter`), and the
    tokens that were used, summed over all requests of the turn."""

    text: str
    finish: str = "stop"
    usage: Mapping[str, Json] = field(default_factory=dict)


AgentEvent: TypeAlias = (
    TextDelta | ReasoningDelta | ProgramWritten | Called | Answered | ProgramEnded | Answer
)
