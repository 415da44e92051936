"""The values of a conversation: its entries, a client's request, and the events of a turn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from coderelay.conversation.program_state import ProgramState
from coderelay.core import Completed, Entry, Failed, Json, Program, Tool
from coderelay.languages.language_registry import DEFAULT_LANGUAGE

Message: TypeAlias = Mapping[str, Json]
"""A message in the format of Chat Completions, which every upstream understands."""

Protocol: TypeAlias = Literal["ids", "messages"]
"""How a program travels with the history: in the ids of its calls, or as messages."""
OutcomeForm: TypeAlias = Literal["values", "texts"]
"""How the client's history keeps a program's outcome: as a JSON value or as a text."""
Finish: TypeAlias = Literal["stop", "tool_calls", "length", "content_filter"]
"""Why an answer ended, in the words of Chat Completions."""
DEFAULT_MAX_PROGRAMS = 8
"""How many programs the model may write in one turn, unless a setting or a request says."""


@dataclass(frozen=True, slots=True)
class PlainMessage:
    """A message that has nothing to do with programs. It is sent upstream unchanged."""

    message: Message


@dataclass(frozen=True, slots=True)
class HandedCall:
    """A call that was handed out to the client, with the id that the client knows it by."""

    id: str
    index: int
    name: str
    arguments: Json


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """A program in the history, with its calls and, if it is known, its outcome.

    - `state` is the program, with what else the history says about it. It is None if the client has
      trimmed the history and the program is no longer there.
    - `journal` has the answered calls in call order, `pending` the calls without an answer.
    - `outcome` is None if it has to be computed by replay.
    - `text` is the assistant's text in the same message as the program. `remarks` are messages
      between the calls and their results; the model gets them after the block.
    - `open` means that the program goes on in this turn, `interrupted` that the user wrote
      something else before it had ended.
    - `replayable` means that the journal is complete, so that a replay can be tried.
    """

    state: ProgramState | None
    journal: tuple[Entry, ...] = ()
    pending: tuple[HandedCall, ...] = ()
    outcome: Completed | Failed | None = None
    text: str = ""
    remarks: tuple[PlainMessage, ...] = ()
    open: bool = False
    interrupted: bool = False
    replayable: bool = True

    @property
    def program(self) -> Program | None:
        """The program, if the history has it."""
        return self.state.program if self.state is not None else None


ConversationEntry: TypeAlias = PlainMessage | CodeBlock


def is_open(entries: Sequence[ConversationEntry]) -> bool:
    """Return whether the last entry is a program that goes on in this turn."""
    return bool(entries) and isinstance(entries[-1], CodeBlock) and entries[-1].open


def turn_of(entries: Sequence[ConversationEntry]) -> Sequence[ConversationEntry]:
    """Return the entries after the last user message."""
    for place in range(len(entries) - 1, -1, -1):
        entry = entries[place]
        if isinstance(entry, PlainMessage) and entry.message.get("role") == "user":
            return entries[place + 1 :]
    return entries


def has_run(entries: Sequence[ConversationEntry]) -> bool:
    """Return whether there is a program after the last user message."""
    return any(isinstance(entry, CodeBlock) for entry in turn_of(entries))


@dataclass(frozen=True, slots=True)
class DialectState:
    """What a dialect needs again from a request when it encodes the answer. A dialect that needs
    something derives its own class from this one."""


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """A client's request, in no API's format.

    - `tools` are the tools that programs may call. `direct` are the declarations of tools that the
      model may call itself; they are sent upstream unchanged, in the format of Chat Completions.
    - `options` are all other fields for the upstream, as Chat Completions names them.
    - `protocol` says whether a program travels in the ids of its calls (`ids`) or as messages of
      the history, in the dialect's own format (`messages`).
    - `outcome_form` says how the dialect's history keeps a program's outcome. If that is a text,
      the model gets that text from the start, so that it never sees the outcome change.
    - `offer_code_without_tools` offers programs to the model even if there is no tool to call.
    - `dialect_state` is read by the dialect only.
    """

    model: str
    entries: tuple[ConversationEntry, ...]
    tools: tuple[Tool, ...] = ()
    direct: tuple[Message, ...] = ()
    language: str = DEFAULT_LANGUAGE
    max_programs: int = DEFAULT_MAX_PROGRAMS
    tool_choice: Json = None
    parallel: bool = True
    response_format: Json = None
    options: Mapping[str, Json] = field(default_factory=dict)
    stream: bool = False
    include_usage: bool = False
    receipt: bool = False
    protocol: Protocol = "ids"
    outcome_form: OutcomeForm = "values"
    offer_code_without_tools: bool = False
    dialect_state: DialectState = DialectState()


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """How many tokens were used, as the upstream counted them. `details` are its other counts."""

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
    """What code mode did for this request. `saved` is an estimate of the tokens that it saved."""

    programs: int
    calls: int
    fuel: int
    model_calls: int
    usage: TokenUsage
    saved: int


@dataclass(frozen=True, slots=True)
class AssistantText:
    """The assistant's answer as text. A refusal comes only in this entry, never in pieces."""

    text: str
    reasoning: str = ""
    extra: Mapping[str, Json] = field(default_factory=dict)
    refused: bool = False


@dataclass(frozen=True, slots=True)
class ProgramStarted:
    """The model wrote a program, and possibly text in the same answer."""

    state: ProgramState
    text: str = ""
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class CallsHandedOut:
    """The program waits for these calls."""

    state: ProgramState
    calls: tuple[HandedCall, ...]


@dataclass(frozen=True, slots=True)
class ProgramFinished:
    """The program has ended."""

    state: ProgramState
    outcome: Completed | Failed


@dataclass(frozen=True, slots=True)
class DirectCalls:
    """The model called tools itself. `calls` are as it wrote them, with the upstream's ids."""

    calls: tuple[Message, ...]
    text: str = ""
    reasoning: str = ""


NewEntry: TypeAlias = (
    AssistantText | ProgramStarted | CallsHandedOut | ProgramFinished | DirectCalls
)


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """The request is valid and its program was replayed. An error after this event comes in the
    middle of the answer."""

    id: str
    created: int
    model: str


@dataclass(frozen=True, slots=True)
class TextStreamed:
    """A piece of the assistant's text."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningStreamed:
    """A piece of the model's reasoning."""

    text: str


@dataclass(frozen=True, slots=True)
class TurnReply:
    """The end of a turn, with everything that it added to the conversation, in order."""

    entries: tuple[NewEntry, ...]
    finish: Finish
    usage: TokenUsage
    model: str
    id: str
    created: int
    receipt: Receipt | None = None


TurnEvent: TypeAlias = TurnStarted | TextStreamed | ReasoningStreamed | NewEntry | TurnReply
"""`TurnStarted` comes first and `TurnReply` last. A text comes in pieces, and then as a whole in an
entry."""


def _sum(left: Json, right: Json) -> Json:
    """Add numbers at any depth of two objects; for values that are no numbers, take the right."""
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return {
            key: _sum(left[key], right[key]) if key in left and key in right else value
            for key, value in {**left, **right}.items()
        }
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return left + right
    return right
