"""The endpoints for clients with their own agent loop: `POST /v1/code/evaluate` and
`POST /v1/code/declarations`."""

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
from coderelay.core.json_values import dump, size
from coderelay.dialects.kit.fields import Fields
from coderelay.dialects.kit.operation import EXAMPLE_TOOLS, Operation
from coderelay.dialects.kit.program_fields import read_language, read_program, read_tools
from coderelay.languages.language_registry import DEFAULT_LANGUAGE
from coderelay.wire import function_tool, journal_from_json, outcome_to_json

EVALUATE = Operation(
    "One step of a program",
    "For clients with their own agent loop. Runs a program from its start with the answered calls "
    "so far and returns what comes next: `suspended` with the calls to answer, `completed` with a "
    "value, or `failed` with an error.",
    {
        "program": {
            "language": "typescript",
            "source": "return await webSearch({ query: 'news' });",
        },
        "tools": EXAMPLE_TOOLS,
        "journal": [{"name": "web_search", "arguments": {"query": "news"}, "value": ["calm"]}],
    },
    ["program"],
)
DECLARATIONS = Operation(
    "What a model is told about tools",
    "For clients with their own agent loop: the declarations and instructions for the system "
    "prompt, and the one tool to offer. If the declarations would be over the server's budget, "
    "they are an index, and programs use `searchTools` and `describeTool`.",
    {"tools": EXAMPLE_TOOLS, "language": "python"},
    ["tools"],
)


@dataclass(frozen=True, slots=True)
class EvaluateRequest:
    """A program with its tools and its journal."""

    program: Program
    tools: tuple[Tool, ...]
    journal: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class DeclarationsRequest:
    """The tools to declare, and the language to declare them in."""

    tools: tuple[Tool, ...]
    language: str


def decode_evaluate(
    body: Json, *, language: str = DEFAULT_LANGUAGE, limits: Limits = DEFAULT_LIMITS
) -> EvaluateRequest:
    """Read a request of the evaluate endpoint. `language` is the default for a program without
    one."""
    fields = Fields(body)
    program = _program(fields.inner("program"), language)
    tools = read_tools(dict(enumerate(fields.items("tools", []))))
    journal = journal_from_json(fields.items("journal", []))
    _check(program, journal, limits)
    return EvaluateRequest(program, tools, journal)


def encode_outcome(outcome: Outcome) -> dict[str, Json]:
    """Return the response of the evaluate endpoint."""
    return outcome_to_json(outcome)


def decode_declarations(body: Json, *, language: str = DEFAULT_LANGUAGE) -> DeclarationsRequest:
    """Read a request of the declarations endpoint."""
    fields = Fields(body)
    tools = read_tools(dict(enumerate(fields.items("tools"))))
    return DeclarationsRequest(tools, read_language(fields, language))


def encode_declarations(declarations: str, instructions: str, tool: Tool) -> dict[str, Json]:
    """Return the response of the declarations endpoint: the texts for the system prompt, and the
    tool to offer."""
    return {
        "declarations": declarations,
        "instructions": instructions,
        "tool": function_tool(tool),
    }


def _program(fields: Fields, language: str) -> Program:
    program = read_program(fields, "source", language=language, id="program")
    read_language(fields, language)
    return program


def _check(program: Program, journal: tuple[Entry, ...], limits: Limits) -> None:
    if size(program.source) > limits.source:
        reason = f"is longer than {limits.source:,} bytes: shorten it"
        raise TooLarge(f"'program.source' {reason}", "program.source")
    if len(journal) > limits.calls:
        reason = f"has more than {limits.calls:,} calls: start a new program"
        raise TooLarge(f"'journal' {reason}", "journal")
    for index, entry in enumerate(journal):
        if isinstance(entry.result, Returned) and size(dump(entry.result.value)) > limits.result:
            where = f"journal[{index}].value"
            raise TooLarge(f"'{where}' is over {limits.result:,} bytes: send less", where)


__all__ = [
    "DECLARATIONS",
    "EVALUATE",
    "DeclarationsRequest",
    "EvaluateRequest",
    "decode_declarations",
    "decode_evaluate",
    "encode_declarations",
    "encode_outcome",
]
