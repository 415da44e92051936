"""Describes the API as an OpenAPI document, and as a page that loads nothing from other hosts."""

import json
from collections.abc import Iterable
from html import escape

from coderelay.core import Json
from coderelay.dialects.kit.operation import Operation

DESCRIPTION = (
    "The model writes a program; the server runs it in a sandbox and relays its tool calls to the "
    "client, which owns the tools. Point a client's base URL here: tool calls come and go as "
    "ordinary ones. The server stores nothing between requests."
)
_ERRORS = {
    "400": "The history, a call id or a tool's schema cannot be used; the message says which.",
    "401": "The key is missing or wrong.",
    "403": "Without client keys: a name that the server does not know, or a foreign web page.",
    "413": "The body, the program, a result or the number of calls is over its limit.",
    "422": "A field has the wrong type; `param` names it.",
    "431": "The headers are over their limit.",
    "502": "The model's endpoint failed.",
    "503": "The server is busy: try again after `Retry-After`.",
    "504": "The model's endpoint did not answer in time.",
}
_ERROR: Json = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                "message": {"type": "string", "description": "What to do about it."},
                "type": {"type": "string"},
                "param": {
                    "type": ["string", "null"],
                    "description": "The field that is wrong, if it is known.",
                },
                "code": {"type": ["string", "null"]},
            },
        }
    },
}

Described = Iterable[tuple[str, str, Operation, bool]]
"""For each path: its method, the path, its description, and whether it needs no key."""


def document(version: str, paths: Described) -> dict[str, Json]:
    """Return the OpenAPI document of these paths."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "Coderelay", "version": version, "description": DESCRIPTION},
        "paths": {
            path: {method.lower(): _operation(operation, public=public)}
            for method, path, operation, public in paths
        },
        "components": {
            "schemas": {"Error": _ERROR},
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }


def page(version: str, paths: Described) -> str:
    """Return the description as plain HTML, without scripts and without anything to load."""
    parts = [
        "<!doctype html><html lang='en'><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width'>",
        "<title>Coderelay API</title>",
        "<style>body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;",
        "padding:0 1rem;color-scheme:light dark}pre{overflow:auto;padding:.75rem;",
        "border:1px solid #8886;border-radius:6px}code,h2{font-family:ui-monospace,monospace}",
        "h2{font-size:1.1rem;margin-top:2rem}</style>",
        f"<h1>Coderelay {escape(version)}</h1><p>{escape(DESCRIPTION)}</p>",
        "<p>The same for machines: <a href='/openapi.json'>/openapi.json</a></p>",
    ]
    for method, path, operation, public in paths:
        parts.append(f"<h2>{escape(method)} {escape(path)}</h2><p><b>{escape(operation.summary)}")
        parts.append(f".</b> {escape(operation.description)}{' No key.' if public else ''}</p>")
        if operation.example is not None:
            example = json.dumps(operation.example, indent=2, ensure_ascii=False)
            parts.append(f"<pre><code>{escape(example)}</code></pre>")
    return "".join(parts)


def _operation(operation: Operation, *, public: bool) -> Json:
    described: dict[str, Json] = {
        "summary": operation.summary,
        "description": operation.description,
        "responses": {"200": {"description": "As described."}},
    }
    if public:
        return described
    described["security"] = [{}, {"key": []}]
    if operation.example is not None:
        content = {
            "schema": {"type": "object", "required": list(operation.required)},
            "example": operation.example,
        }
        described["requestBody"] = {"required": True, "content": {"application/json": content}}
        error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
        for status, text in _ERRORS.items():
            described["responses"][status] = {"description": text, "content": error}
    return described
