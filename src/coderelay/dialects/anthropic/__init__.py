"""Anthropic Messages: `POST /v1/messages`, and `POST /v1/messages/count_tokens`."""

from coderelay.core import Json
from coderelay.dialects.anthropic.error_shape import error_body, error_object
from coderelay.dialects.anthropic.reply import encode, encode_count
from coderelay.dialects.anthropic.request import decode, decode_count
from coderelay.dialects.anthropic.stream import AnthropicStream
from coderelay.dialects.dialect import Dialect, TokenCounting
from coderelay.dialects.kit.operation import EXAMPLE_PARAMETERS, EXAMPLE_QUESTION, Operation

__all__ = [
    "ANTHROPIC_MESSAGES",
    "AnthropicStream",
    "decode",
    "decode_count",
    "encode",
    "encode_count",
    "error_body",
    "error_object",
]

_EXAMPLE: dict[str, Json] = {
    "model": "any",
    "messages": [{"role": "user", "content": EXAMPLE_QUESTION}],
    "tools": [
        {
            "name": "web_search",
            "description": "Search the web.",
            "input_schema": EXAMPLE_PARAMETERS,
        }
    ],
}

ANTHROPIC_MESSAGES = Dialect(
    name="Anthropic Messages",
    path="/v1/messages",
    operation=Operation(
        "A message, with programs",
        "Takes what the Anthropic API takes, streamed or not, and translates it for the upstream. "
        "With tools, the model is offered one tool that runs a program, and the program's calls "
        "come back as ordinary `tool_use` blocks. A client that declares code execution also gets "
        "the programs, in the API's own format. Errors have that API's format.",
        {**_EXAMPLE, "max_tokens": 4096},
        ["model", "max_tokens", "messages"],
    ),
    decode=decode,
    encode=encode,
    stream=AnthropicStream,
    error_body=error_body,
    error_object=error_object,
    named_events=True,
    counting=TokenCounting(
        "/v1/messages/count_tokens",
        decode_count,
        encode_count,
        Operation(
            "An estimate of the tokens in a message's prompt",
            "Takes the same body as a message. The estimate counts four bytes of everything that "
            "the model would get as a token.",
            _EXAMPLE,
            ["model", "messages"],
        ),
    ),
)
