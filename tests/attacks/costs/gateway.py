"""What a model's answer costs the gateway, whole or in the small pieces that it comes in."""

from collections.abc import Callable

from coderelay.gateway.program_in_text import ProgramInText
from coderelay.models.model import CallPiece, Delta, ModelNamePiece
from coderelay.models.model_answer import ModelAnswer
from tests.attacks.costs import Case

PROGRAM = 199_000
"""Just under what a program in words may be."""


def streamed(pieces: list[str]) -> ProgramInText:
    """What is left of an answer that came in these pieces."""
    in_text = ProgramInText("typescript", code_offered=True)
    for piece in pieces:
        in_text.feed(piece)
    return in_text


def added(pieces: list[Delta]) -> None:
    """Put an answer together."""
    answer = ModelAnswer()
    for piece in pieces:
        answer.add(piece)


def stream(beginning: str, piece: str) -> Callable[[int], list[str]]:
    """A text of a size: its beginning, then the same short piece again and again."""
    return lambda size: [beginning, *[piece] * (size // len(piece))]


def held(beginning: str, piece: str, end: str = "") -> Callable[[int], ProgramInText]:
    """An answer of a size that is held back to its end."""
    return lambda size: streamed([*stream(beginning, piece)(size), end])


FEED = "gateway.program_in_text.ProgramInText.feed"
PROGRAMS = "gateway.program_in_text.ProgramInText.program"

ANSWERS: dict[str, Callable[[int], list[Delta]]] = {
    "a large field, then small ones of its name": lambda size: [
        ModelNamePiece(extra={"x": [[]] * size}),
        *[ModelNamePiece(extra={"x": 1})] * (size // 100),
    ],
    "a large field of a call": lambda size: [CallPiece(0, extra={"x": ["\x7f"] * size})],
    "many fields": lambda size: [CallPiece(0, extra={f"{each}": 1 for each in range(size // 2)})],
    "many calls": lambda size: [CallPiece(each) for each in range(size // 20)],
}

CASES = (
    Case(FEED, "a block that does not end", 50_000, stream("```ts\n", "aa"), streamed),
    Case(FEED, "a first line that does not end", 50_000, stream("```", "ts"), streamed),
    Case(FEED, "spaces that may stand before a mark", 50_000, stream("```ts\n", "  "), streamed),
    Case(FEED, "spaces behind a block", 50_000, stream("```ts\nf()\n```", " \n"), streamed),
    Case(FEED, "marks that are no fences", 50_000, stream("", "`` "), streamed),
    Case(FEED, "a tool call that does not end", 50_000, stream("<tool_call>", "{{"), streamed),
    *(
        Case("models.model_answer.ModelAnswer.add", text, 200_000, make, added)
        for text, make in ANSWERS.items()
    ),
    Case(
        PROGRAMS,
        "one long word",
        PROGRAM,
        held("```ts\n", "a" * 1000),
        lambda in_text: in_text.program({"f"}),
    ),
    Case(
        PROGRAMS,
        "spaces at the end of a block without an end",
        PROGRAM,
        held("```ts\nf()", " " * 1000, "."),
        lambda in_text: in_text.program({"f"}),
    ),
    Case(
        PROGRAMS,
        "spaces between words",
        PROGRAM,
        held("```ts\n", "a" + " " * 999),
        lambda in_text: in_text.program({"f"}),
    ),
    Case(
        PROGRAMS,
        "line ends and spaces before a mark",
        PROGRAM,
        held("```ts\n", "\n ", "\n```"),
        lambda in_text: in_text.program({"f"}),
    ),
    Case(
        "gateway.program_in_text.ProgramInText.calls",
        "tool calls in tool calls",
        PROGRAM,
        held("<tool_call>", "<tool_call>"),
        ProgramInText.calls,
    ),
    Case(
        "gateway.program_in_text.ProgramInText.calls",
        "a parameter that does not end",
        PROGRAM,
        held("<tool_call><function=f><parameter=code>", "\n" * 1000),
        ProgramInText.calls,
    ),
    Case(
        "gateway.program_in_text.ProgramInText.calls",
        "spaces before and after names",
        PROGRAM,
        held("<tool_call>", " " * 1000, "<function=f>" + " " * 10_000),
        ProgramInText.calls,
    ),
)
