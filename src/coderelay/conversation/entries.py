"""A conversation is plain messages and code blocks; a turn adds new entries to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from coderelay.core import Completed, Entry, Failed, Json, Program, Tool
from coderelay.languages.language_registry import DEFAULT_LANGUAGE

Message: TypeAlias = Mapping[str, Json]
"""A message in the shape of Chat Completions, which every upstream understands."""

Protocol: TypeAlias = Literal["ids", "messages"]
Outcomes: TypeAlias = Literal["values", "texts"]
Finish: TypeAlias = Literal["stop", "tool_calls", "length", "content_filter"]


@dataclass(frozen=True, slots=True)
class PlainMessage:
    """A message that has nothing to do with code: it goes upstream as it stands."""

    message: Message


@dataclass(frozen=True, slots=True)
class HandedCall:
    """A call that was handed out to the client, under the id that the client knows it by."""

    id: str
    index: int
    name: str
    arguments: Json


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """A program with its calls and, where it is known, its end.

    - `program` is None where the history was trimmed and does not hold it any more.
    - `journal` holds the answered calls in call order, `pending` those without an answer.
    - `outcome` is None where it has to be computed by replay.
    - `text` is what the assistant said beside the program; `remarks` are messages that stood
      between the calls and their results, and are shown after the block.
    - `open`: the conversation waits for this block. `interrupted`: the person went on without it.
    - `whole`: the journal is all that the program was told, so a replay can be tried.
    - `tools`: names of the tools that the program mentions and that were declared when it began;
      None where the history does not say. Tools that were added later are not the program's.
    """

    program: Program | None
    journal: tuple[Entry, ...] = ()
    pending: tuple[HandedCall, ...] = ()
    outcome: Completed | Failed | None = None
    text: str = ""
    remarks: tuple[PlainMessage, ...] = ()
    open: bool = False
    interrupted: bool = False
    whole: bool = True
    fingerprint: str | None = None
    tools: frozenset[str] | None = None


ConversationEntry: TypeAlias = PlainMessage | CodeBlock


def is_open(entries: Sequence[ConversationEntry]) -> bool:
    """Whether a conversation waits for a program, which keeps what it began with."""
    return bool(entries) and isinstance(entries[-1], CodeBlock) and entries[-1].open


def turn_of(entries: Sequence[ConversationEntry]) -> Sequence[ConversationEntry]:
    """The entries since the person spoke last."""
    for place in range(len(entries) - 1, -1, -1):
        entry = entries[place]
        if isinstance(entry, PlainMessage) and entry.message.get("role") == "user":
            return entries[place + 1 :]
    return entries


def has_run(entries: Sequence[ConversationEntry]) -> bool:
    """Whether a program was written since the person spoke last."""
    return any(isinstance(entry, CodeBlock) for entry in turn_of(entries))


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """What a client asks for, in no API's words.

    - `tools` may be called by programs, `direct` are declarations that the model is offered as
      they stand, both in the shape of Chat Completions.
    - `options` are all other fields for the upstream, in the words of Chat Completions.
    - `protocol`: with `ids` the program rides in the ids of its calls, with `messages` it stands
      in the history, in whatever shape the dialect has for it.
    - `outcomes`: what the dialect's history keeps of a program's end. Where that is a text, the
      model is shown that text from the start.
    - `bare`: programs are offered even where no tool can be called by one.
    - `given` is what the dialect wants to know again when it encodes the answer.
    """

    model: str
    entries: tuple[ConversationEntry, ...]
    tools: tuple[Tool, ...] = ()
    direct: tuple[Message, ...] = ()
    language: str = DEFAULT_LANGUAGE
    max_programs: int = 8
    tool_choice: Json = None
    parallel: bool = True
    response_format: Json = None
    options: Mapping[str, Json] = field(default_factory=dict)
    stream: bool = False
    include_usage: bool = False
    receipt: bool = False
    protocol: Protocol = "ids"
    outcomes: Outcomes = "values"
    bare: bool = False
    given: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens, as the upstream counted them; `details` keeps its own words for the last call."""

    prompt: int = 0
    completion: int = 0
    total: int = 0
    details: Mapping[str, Json] = field(default_factory=dict)

    def __add__(self, other: "TokenUsage") -> "TokenUsage":
        return TokenUsage(
            self.prompt + other.prompt,
            self.completion + other.completion,
            self.total + other.total,
            _sum(self.details, other.details),
        )


@dataclass(frozen=True, slots=True)
class Receipt:
    """What code mode did for this request. `saved` is an estimate, in tokens."""

    programs: int
    calls: int
    fuel: int
    model_calls: int
    usage: TokenUsage
    saved: int


@dataclass(frozen=True, slots=True)
class AssistantText:
    """The assistant's answer in words. A refusal is told in this entry only, not in pieces."""

    text: str
    reasoning: str = ""
    extra: Mapping[str, Json] = field(default_factory=dict)
    refused: bool = False


@dataclass(frozen=True, slots=True)
class ProgramStarted:
    """The model wrote a program, and said something beside it."""

    program: Program
    text: str = ""
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class CallsHandedOut:
    """The program waits for these calls."""

    program: Program
    calls: tuple[HandedCall, ...]


@dataclass(frozen=True, slots=True)
class ProgramFinished:
    """The program came to its end."""

    program: Program
    outcome: Completed | Failed


@dataclass(frozen=True, slots=True)
class DirectCalls:
    """The model called tools by itself, under the upstream's ids; `calls` are as it wrote them."""

    calls: tuple[Message, ...]
    text: str = ""
    reasoning: str = ""


NewEntry: TypeAlias = (
    AssistantText | ProgramStarted | CallsHandedOut | ProgramFinished | DirectCalls
)


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """The request is sound and replayed: what fails from here on fails in mid-answer."""

    id: str
    created: int
    model: str


@dataclass(frozen=True, slots=True)
class TextStreamed:
    """A piece of what the assistant says."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningStreamed:
    """A piece of what the model thinks aloud."""

    text: str


@dataclass(frozen=True, slots=True)
class TurnReply:
    """All that a turn added, in order."""

    entries: tuple[NewEntry, ...]
    finish: Finish
    usage: TokenUsage
    model: str
    id: str
    created: int
    receipt: Receipt | None = None


TurnEvent: TypeAlias = TurnStarted | TextStreamed | ReasoningStreamed | NewEntry | TurnReply
"""`TurnStarted` is first, `TurnReply` last. Texts come twice: in pieces, and whole in an entry."""


def _sum(left: Json, right: Json) -> Json:
    """Counts added up, whatever they are nested in; of other values the later."""
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return {
            key: _sum(left[key], right[key]) if key in left and key in right else value
            for key, value in {**left, **right}.items()
        }
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return left + right
    return right
