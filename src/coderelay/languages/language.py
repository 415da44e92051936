"""What a language is: everything that differs between one language of programs and another."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from coderelay.core import Tool, ToolName
from coderelay.engines.interface import Engine, Progress
from coderelay.languages.naming import NamingStyle
from coderelay.schemas.schema_notes import brief

TOOLS_FOUND, MOST_TOOLS_FOUND = 10, 50
"""How many tools `search_tools` returns by default, and at most: for its declaration."""

_NAME, _PLACE = 60, 120
"""How many characters of a property's name and of a whole path are shown."""


@dataclass(frozen=True, slots=True)
class Wording:
    """How error messages about arguments speak in a language."""

    argument: str
    """What an argument of a tool is called."""
    inner: str
    """What a property of an object inside the arguments is called."""
    step: Callable[[str], str]
    """Writes the access to a property by its name: `.name` or `["name"]`."""

    def place(self, path: Sequence[str | int]) -> str:
        """A path into the arguments, as a program would write it: `filters.tags[0]`."""
        text = ""
        for step in path:
            if isinstance(step, int):
                text += f"[{step}]"
            elif text:
                text += self.step(step)
            else:
                text = step if step.isidentifier() else f"[{brief(step, _NAME)}]"
        if len(text) <= _PLACE:
            return text
        return f"{text[: _PLACE // 2]}…{text[-_PLACE // 2 :]}"

    def property(self, path: Sequence[str | int]) -> str:
        """What a property of the object at a path is called."""
        return self.inner if path else self.argument


@dataclass(frozen=True, slots=True)
class ToolPrinter:
    """Writes tools as code. Each function takes a tool and its identifier in a program."""

    declare: Callable[[Sequence[Tool], Sequence[ToolName]], str]
    """The declarations of several tools under their names, with the types that they use."""
    signature: Callable[[Tool, str], str]
    """The tool's parameters on one line, for error messages."""
    line: Callable[[Tool, str], str]
    """The signature with the type of the result where it is known, for search results."""
    parameters: Callable[[Tool, str, int], dict[str, str]]
    """Each parameter with its type, by its name; each text is cut to a length."""
    call: Callable[[Tool, str], str]
    """An example of a call, with placeholders for the required arguments."""


@dataclass(frozen=True, slots=True)
class Guide:
    """What the model is told about the language, apart from the tools."""

    rules: str
    """How a program is written, and what it may use."""
    examples: tuple[str, str]
    """Two programs that show the rules at work."""
    search_tools: str
    """The declaration of the function that searches the tools."""
    describe_tool: str
    """The declaration of the function that returns a tool's declaration."""
    search_call: str
    """A call of the first function, which searches for `create issue`."""
    describe_call: str
    """A call of the second function, for a tool named `create_issue`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """One language of programs.

    - `name` stands for it in requests and settings, `title` in sentences.
    - `load_engine` imports and makes its engine, which takes seconds where nothing is cached.
    - `fence_tags` are the tags of fenced blocks that hold its programs; the first is the one that
      we write. The language's name and its code tool's name count without being listed.
    - `suffixes` are the file name suffixes of its programs.
    """

    name: str
    title: str
    load_engine: Callable[[Progress], Engine]
    naming: NamingStyle
    tools: ToolPrinter
    wording: Wording
    guide: Guide
    fence_tags: tuple[str, ...]
    suffixes: tuple[str, ...]

    @property
    def code_tool(self) -> str:
        """The name of the tool that a model runs programs with."""
        return f"run_{self.name}"

    def is_fence_tag(self, tag: str) -> bool:
        """Whether a fenced block with this tag may hold a program; one without a tag may."""
        return tag.lower() in ("", *self.fence_tags, self.name, self.code_tool)
