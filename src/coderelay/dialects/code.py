"""For those who own the loop: `POST /v1/code/evaluate` and `POST /v1/code/declarations`."""

from dataclasses import dataclass

from coderelay.conversation import TooLarge
from coderelay.core import (
    DEFAULT_LIMITS,
    Entry,
    Json,
    Limits,
    Outcome,
    Program,
    Returned,
    Tool,
)
from coderelay.core.jsonvalue import dump, size
from coderelay.core.program import FIXED_DATE
from coderelay.dialects.chat_errors import error_body, error_object
from coderelay.dialects.fields import Fields
from coderelay.wire import journal_from_json, outcome_to_json, tools_from_json


@dataclass(frozen=True, slots=True)
class EvaluateRequest:
    """A program with its tools and all that it was told."""

    program: Program
    tools: tuple[Tool, ...]
    journal: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class DeclarationsRequest:
    """Tools to declare in a language."""

    tools: tuple[Tool, ...]
    language: str


def decode_evaluate(
    body: Json, *, language: str = "typescript", limits: Limits = DEFAULT_LIMITS
) -> EvaluateRequest:
    """What to evaluate. `language` is for a program that does not say its own."""
    fields = Fields(body)
    program = _program(fields.inner("program"), language)
    tools = tools_from_json(fields.items("tools", []))
    journal = journal_from_json(fields.items("journal", []))
    _check(program, journal, limits)
    return EvaluateRequest(program, tools, journal)


def encode_outcome(outcome: Outcome) -> dict[str, Json]:
    """The answer of the evaluate endpoint."""
    return outcome_to_json(outcome)


def decode_declarations(body: Json, *, language: str = "typescript") -> DeclarationsRequest:
    """What to declare."""
    fields = Fields(body)
    tools = tools_from_json(fields.items("tools"))
    return DeclarationsRequest(tools, fields.text("language", language))


def encode_declarations(declarations: str, instructions: str, tool: Tool) -> dict[str, Json]:
    """The text for the system prompt and the one tool to offer."""
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
    return {
        "declarations": declarations,
        "instructions": instructions,
        "tool": {"type": "function", "function": function},
    }


def _program(fields: Fields, language: str) -> Program:
    return Program(
        fields.text("language", language),
        fields.text("source"),
        fields.text("id", "program"),
        fields.number("created", FIXED_DATE),
    )


def _check(program: Program, journal: tuple[Entry, ...], limits: Limits) -> None:
    if size(program.source) > limits.source:
        raise TooLarge(f"'program.source' is longer than {limits.source:,} bytes: shorten it")
    if len(journal) > limits.calls:
        raise TooLarge(f"'journal' has more than {limits.calls:,} calls")
    for index, entry in enumerate(journal):
        if isinstance(entry.result, Returned) and size(dump(entry.result.value)) > limits.result:
            raise TooLarge(f"'journal[{index}].value' is over {limits.result:,} bytes: send less")


__all__ = [
    "DeclarationsRequest",
    "EvaluateRequest",
    "decode_declarations",
    "decode_evaluate",
    "encode_declarations",
    "encode_outcome",
    "error_body",
    "error_object",
]
