"""The API's description for people and their tools. Bodies are described, never checked by it."""

from collections.abc import Mapping

from fastapi import FastAPI

from coderelay.core import Json

DESCRIPTION = """
The model writes a program; the server runs it in a sandbox and relays its tool calls to you, who
own the tools. Point an OpenAI client's base URL here and use it as always: tool calls come and go
as ordinary ones. The server keeps nothing between requests.
"""

_TOOLS: Json = [
    {
        "type": "function",
        "function": {
            "name": "web_search",
            "description": "Search the web.",
            "parameters": {
                "type": "object",
                "properties": {"query": {"type": "string"}},
                "required": ["query"],
            },
        },
    }
]

_COMPLETION: Json = {
    "summary": "A completion, with programs",
    "description": (
        "Takes what the OpenAI API takes, streamed or not; unknown fields are passed upstream. "
        "With tools, the model is offered one tool that runs a program, and the program's calls "
        "come back as ordinary tool calls: answer them and send the whole history again, ids "
        "unchanged. Without tools the request is passed on as it is. `code_mode` is optional: "
        "`language` (`typescript`, `python`), `protocol` (`ids`, `messages`), `max_programs`, "
        "`receipt`."
    ),
    "example": {
        "model": "any",
        "messages": [{"role": "user", "content": "Compare today's sport and world news."}],
        "tools": _TOOLS,
        "code_mode": {"language": "typescript"},
    },
    "required": ["model", "messages"],
}
_RESPONSE: Json = {
    "summary": "A response, with programs",
    "description": (
        "Takes what the OpenAI API takes, streamed or not, and keeps nothing: send all items back "
        "in `input`, with `store: false`. With tools, the calls of a program come back as "
        "`function_call` items; where the tool `programmatic_tool_calling` is declared, the "
        "program and its output are items, too. `code_mode` is optional, as for completions."
    ),
    "example": {
        "model": "any",
        "input": "Compare today's sport and world news.",
        "tools": [{"type": "function", **_TOOLS[0]["function"]}],
        "store": False,
    },
    "required": ["model", "input"],
}
_MESSAGE: Json = {
    "summary": "A message, with programs",
    "description": (
        "Takes what the Anthropic API takes, streamed or not, and translates it for the upstream. "
        "With tools, the model is offered one tool that runs a program, and the program's calls "
        "come back as ordinary `tool_use` blocks. A client that declares code execution gets the "
        "programs in the API's own shape, too. Errors have that API's shape."
    ),
    "example": {
        "model": "any",
        "max_tokens": 4096,
        "messages": [{"role": "user", "content": "Compare today's sport and world news."}],
        "tools": [
            {
                "name": "web_search",
                "description": "Search the web.",
                "input_schema": _TOOLS[0]["function"]["parameters"],
            }
        ],
    },
    "required": ["model", "max_tokens", "messages"],
}
_COUNT: Json = {
    "summary": "About how many tokens a message's prompt is",
    "description": (
        "Takes what a message takes. An estimate: four bytes of all that the model would be shown "
        "count as a token."
    ),
    "example": {key: value for key, value in _MESSAGE["example"].items() if key != "max_tokens"},
    "required": ["model", "messages"],
}
_EVALUATE: Json = {
    "summary": "One step of a program",
    "description": (
        "For those who own the loop. Runs a program from its start with the answered calls so far "
        "and tells what comes next: `suspended` with the calls to answer, `completed` with a "
        "value, or `failed` with an error."
    ),
    "example": {
        "program": {
            "language": "typescript",
            "source": "return await webSearch({ query: 'news' });",
        },
        "tools": _TOOLS,
        "journal": [{"name": "web_search", "arguments": {"query": "news"}, "value": ["calm"]}],
    },
    "required": ["program"],
}
_DECLARE: Json = {
    "summary": "Tools, as a model is told of them",
    "description": (
        "For those who own the loop: the declarations and instructions for the system prompt, and "
        "the one tool to offer. Where the declarations would be over the server's budget, they are "
        "an index, and programs use `searchTools` and `describeTool`."
    ),
    "example": {"tools": _TOOLS, "language": "python"},
    "required": ["tools"],
}
_OPERATIONS: Mapping[str, Json] = {
    "/v1/chat/completions": _COMPLETION,
    "/v1/responses": _RESPONSE,
    "/v1/messages": _MESSAGE,
    "/v1/messages/count_tokens": _COUNT,
    "/v1/code/evaluate": _EVALUATE,
    "/v1/code/declarations": _DECLARE,
    "/v1/models": {"summary": "The upstream's models", "description": "Passed on as it is."},
    "/healthz": {"summary": "The process lives", "description": "Always 200."},
    "/readyz": {
        "summary": "The engines are warm",
        "description": "200 when requests can be served without waiting for a compiler, else 503.",
    },
    "/metrics": {"summary": "Counts", "description": "In the text format of Prometheus."},
}
_ERRORS = {
    "400": "The history, a call id or a tool's schema is not sound; the message says which.",
    "401": "No key, or a wrong one.",
    "413": "The body, the program, a result or the number of calls is over its limit.",
    "422": "A field has the wrong type; `param` names it.",
    "503": "Every place is taken: try again after `Retry-After`.",
    "502": "The model's endpoint failed.",
    "504": "The model's endpoint did not answer in time.",
}
_PUBLIC = ("/healthz", "/readyz", "/metrics")


def schema(app: FastAPI, methods: Mapping[str, str]) -> dict[str, Json]:
    """The OpenAPI document of these paths."""
    return {
        "openapi": "3.1.0",
        "info": {"title": app.title, "version": app.version, "description": app.description},
        "paths": {
            path: {methods[path].lower(): _operation(path, operation)}
            for path, operation in _OPERATIONS.items()
        },
        "components": {
            "schemas": {"Error": _ERROR},
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }


_ERROR: Json = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                "message": {"type": "string", "description": "What to do about it."},
                "type": {"type": "string"},
                "param": {"type": ["string", "null"], "description": "The field, if one is."},
                "code": {"type": ["string", "null"]},
            },
        }
    },
}


def _operation(path: str, operation: Json) -> Json:
    described: dict[str, Json] = {
        "summary": operation["summary"],
        "description": operation["description"],
        "responses": {"200": {"description": "As described."}},
    }
    if path in _PUBLIC:
        return described
    described["security"] = [{}, {"key": []}]
    if "example" in operation:
        content = {
            "schema": {"type": "object", "required": operation["required"]},
            "example": operation["example"],
        }
        described["requestBody"] = {"required": True, "content": {"application/json": content}}
        error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
        for status, text in sorted(_ERRORS.items()):
            described["responses"][status] = {"description": text, "content": error}
    return described
