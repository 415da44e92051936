"""Responses: `POST /v1/responses`, plain and with OpenAI's own programmatic tool calling."""

from coderelay.dialects.dialect import Dialect
from coderelay.dialects.kit.code_mode import Defaults
from coderelay.dialects.kit.error_table import openai_error as error_object
from coderelay.dialects.kit.error_table import openai_error_body as error_body
from coderelay.dialects.kit.operation import EXAMPLE_QUESTION, EXAMPLE_TOOLS, Operation
from coderelay.dialects.responses.reply import encode
from coderelay.dialects.responses.request import decode
from coderelay.dialects.responses.stream import ResponsesStream

__all__ = [
    "RESPONSES",
    "Defaults",
    "ResponsesStream",
    "decode",
    "encode",
    "error_body",
    "error_object",
]

RESPONSES = Dialect(
    name="Responses",
    path="/v1/responses",
    operation=Operation(
        "A response, with programs",
        "Takes what the OpenAI API takes, streamed or not, and stores nothing: send all items back "
        "in `input`, with `store: false`. With tools, the calls of a program come back as "
        "`function_call` items; if the tool `programmatic_tool_calling` is declared, the program "
        "and its output are items too. `code_mode` is optional, as for completions.",
        {
            "model": "any",
            "input": EXAMPLE_QUESTION,
            "tools": [{"type": "function", **EXAMPLE_TOOLS[0]["function"]}],
            "store": False,
        },
        ["model", "input"],
    ),
    decode=decode,
    encode=encode,
    stream=ResponsesStream,
    error_body=error_body,
    error_object=error_object,
    named_events=True,
)
