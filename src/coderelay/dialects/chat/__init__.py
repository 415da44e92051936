"""Chat Completions: `POST /v1/chat/completions`."""

from coderelay.dialects.chat.reply import ChatStream, encode
from coderelay.dialects.chat.request import decode, needs_no_translation
from coderelay.dialects.dialect import Dialect
from coderelay.dialects.kit.code_mode import Defaults
from coderelay.dialects.kit.error_table import openai_error as error_object
from coderelay.dialects.kit.error_table import openai_error_body as error_body
from coderelay.dialects.kit.operation import EXAMPLE_QUESTION, EXAMPLE_TOOLS, Operation
from coderelay.languages.language_registry import DEFAULT_LANGUAGE, LANGUAGES

__all__ = [
    "CHAT_COMPLETIONS",
    "ChatStream",
    "Defaults",
    "decode",
    "encode",
    "error_body",
    "error_object",
    "needs_no_translation",
]

_LANGUAGES = ", ".join(f"`{name}`" for name in LANGUAGES)

CHAT_COMPLETIONS = Dialect(
    name="Chat Completions",
    path="/v1/chat/completions",
    operation=Operation(
        "A completion, with programs",
        "Takes what the OpenAI API takes, streamed or not; unknown fields are passed upstream. "
        "With tools, the model is offered one tool that runs a program, and the program's calls "
        "come back as ordinary tool calls: answer them and send the whole history again, with "
        "the ids unchanged. Without tools the request is passed on as it is. `code_mode` is "
        f"optional: `language` ({_LANGUAGES}), `protocol` (`ids`, `messages`), "
        "`max_programs`, `receipt`.",
        {
            "model": "any",
            "messages": [{"role": "user", "content": EXAMPLE_QUESTION}],
            "tools": EXAMPLE_TOOLS,
            "code_mode": {"language": DEFAULT_LANGUAGE},
        },
        ["model", "messages"],
    ),
    decode=decode,
    encode=encode,
    stream=ChatStream,
    error_body=error_body,
    error_object=error_object,
    can_relay=needs_no_translation,
    done="[DONE]",
)
