"""The clients, each with its guides: a guide is a file that is shown in the docs and run here."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
CHAT, RESPONSES, MESSAGES = "Chat Completions", "Responses", "Messages"
PROGRAMMATIC, CODE_EXECUTION = "programmatic_tool_calling", "code_execution"
REFUSED = 400


@dataclass(frozen=True, slots=True)
class Guide:
    """Some lines of code for one API of the server."""

    file: str
    api: str
    package: str
    """Whose version the table tells."""
    how: str = ""
    """The way to call tools, where the package has more than one."""
    shapes: str = ""
    """The vendor's own tool for programs, where the code declares it."""
    refused: int | None = None
    """The status of a refusal that the client provokes, and knows how to take."""
    quiet: str = ""
    """How a warning begins that the client gives of its own doings, and not of ours."""


@dataclass(frozen=True, slots=True)
class Client:
    """A library with its environment and its page in the docs."""

    name: str
    runtime: str
    """`python` or `node`."""
    packages: str
    """What is asked of the registry."""
    guides: tuple[Guide, ...]
    loop: str = ""
    """The package that runs the loop, where it is not the guide's own."""

    @property
    def folder(self) -> Path:
        """Where its guides and pins are."""
        return FOLDER / self.runtime / self.name.removesuffix("-node")

    def files(self) -> list[Path]:
        """The code of its guides."""
        return sorted(self.folder.glob({"python": "*.py", "node": "*.mjs"}[self.runtime]))

    def pins(self) -> dict[str, str]:
        """The version of every package in its environment."""
        return dict(PINS[self.runtime](self.folder))


def _locked(folder: Path) -> Iterator[tuple[str, str]]:
    packages = json.loads((folder / "package-lock.json").read_text("utf-8"))["packages"]
    for path, package in packages.items():
        if path:
            yield path.removeprefix("node_modules/"), package["version"]


def _constrained(folder: Path) -> Iterator[tuple[str, str]]:
    for line in (folder / "constraints.txt").read_text("utf-8").split():
        name, _, version = line.partition("==")
        yield name, version


PINS = {"node": _locked, "python": _constrained}

_OF_ITS_OWN_COUNTS = "Pydantic serializer warnings"  # it logs usage in another API's shape

CLIENTS = (
    Client(
        "openai",
        "python",
        "openai",
        (
            Guide("chat.py", CHAT, "openai"),
            Guide("responses.py", RESPONSES, "openai"),
            Guide("programmatic.py", RESPONSES, "openai", shapes=PROGRAMMATIC),
        ),
    ),
    Client(
        "openai-agents",
        "python",
        "openai-agents",
        (
            Guide("chat.py", CHAT, "openai-agents"),
            Guide("responses.py", RESPONSES, "openai-agents"),
            Guide("programmatic.py", RESPONSES, "openai-agents", shapes=PROGRAMMATIC),
        ),
    ),
    Client(
        "pydantic-ai",
        "python",
        "pydantic-ai-slim[openai,anthropic]",
        (
            Guide("chat.py", CHAT, "pydantic-ai-slim"),
            Guide("responses.py", RESPONSES, "pydantic-ai-slim"),
            Guide("messages.py", MESSAGES, "pydantic-ai-slim"),
        ),
    ),
    Client(
        "langchain-openai",
        "python",
        "langchain langchain-openai",
        (
            Guide("chat.py", CHAT, "langchain-openai"),
            Guide("responses.py", RESPONSES, "langchain-openai"),
        ),
        loop="langchain",
    ),
    Client(
        "langchain-anthropic",
        "python",
        "langchain langchain-anthropic",
        (Guide("messages.py", MESSAGES, "langchain-anthropic"),),
        loop="langchain",
    ),
    Client(
        "litellm",
        "python",
        "litellm[mcp]",
        (
            Guide("chat.py", CHAT, "litellm"),
            Guide("messages.py", MESSAGES, "litellm"),
            Guide("responses.py", RESPONSES, "litellm", quiet=_OF_ITS_OWN_COUNTS),
        ),
    ),
    Client("mistralai", "python", "mistralai", (Guide("chat.py", CHAT, "mistralai"),)),
    Client(
        "anthropic",
        "python",
        "anthropic",
        (
            Guide("messages.py", MESSAGES, "anthropic"),
            Guide("runner.py", MESSAGES, "anthropic", "tool runner", refused=REFUSED),
            Guide("code_execution.py", MESSAGES, "anthropic", shapes=CODE_EXECUTION),
        ),
    ),
    Client(
        "openai-node",
        "node",
        "openai",
        (
            Guide("chat.mjs", CHAT, "openai"),
            Guide("runner.mjs", CHAT, "openai", "runTools"),
            Guide("responses.mjs", RESPONSES, "openai"),
            Guide("programmatic.mjs", RESPONSES, "openai", shapes=PROGRAMMATIC),
        ),
    ),
    Client(
        "ai-sdk",
        "node",
        "ai @ai-sdk/openai-compatible @ai-sdk/openai @ai-sdk/anthropic",
        (
            Guide("compatible.mjs", CHAT, "@ai-sdk/openai-compatible"),
            Guide("responses.mjs", RESPONSES, "@ai-sdk/openai"),
            Guide("programmatic.mjs", RESPONSES, "@ai-sdk/openai", shapes=PROGRAMMATIC),
            Guide("messages.mjs", MESSAGES, "@ai-sdk/anthropic"),
            Guide("code_execution.mjs", MESSAGES, "@ai-sdk/anthropic", shapes=CODE_EXECUTION),
        ),
        loop="ai",
    ),
    Client(
        "anthropic-node",
        "node",
        "@anthropic-ai/sdk",
        (
            Guide("messages.mjs", MESSAGES, "@anthropic-ai/sdk"),
            Guide("runner.mjs", MESSAGES, "@anthropic-ai/sdk", "toolRunner", refused=REFUSED),
            Guide("code_execution.mjs", MESSAGES, "@anthropic-ai/sdk", shapes=CODE_EXECUTION),
        ),
    ),
)
