"""The tools of a request, by who may call them: programs, the model itself, or both."""

import marshal
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from coderelay.conversation import FieldError, Message, Unsupported
from coderelay.core import Json, Tool
from coderelay.core.cache import MAX_TOOL_BYTES, MAX_TOOL_LISTS, WeighedCache
from coderelay.core.json_values import kind
from coderelay.dialects.kit.fields import Fields
from coderelay.dialects.kit.program_fields import read_tools

Told = TypeVar("Told", bound=Hashable)

OWN_FIELDS = ("allowed_callers", "output_schema", "output")
"""What a declaration may say beside its API's fields; no upstream knows these."""
_CALLERS = ("direct", "programmatic")
_NO_REFERENCES = 2  # the last version whose bytes depend on the values alone


@dataclass(frozen=True, slots=True)
class DeclaredTools:
    """`programmatic` for programs, `direct` for the model as Chat Completions has it, and all
    function tools by name in that form."""

    programmatic: tuple[Tool, ...] = ()
    direct: tuple[Message, ...] = ()
    named: Mapping[str, Message] = field(default_factory=dict)

    def made_direct(self, name: str) -> tuple[Message, ...]:
        """The direct tools, with the one that `tool_choice` names."""
        if name not in self.named:
            raise Unsupported("tool_choice", f"names {name!r:.80}, which is none of the tools")
        if self.named[name] in self.direct:
            return self.direct
        return (*self.direct, self.named[name])


def kept(
    read: Callable[[list[Json], Told], DeclaredTools],
) -> Callable[[list[Json], Told], DeclaredTools]:
    """Keeps what was read, because a client sends the same tools with every request. `Told` is all
    that it depends on besides.

    The declarations' bytes are the key; `marshal` is the fastest way to them, tool by tool, and
    nothing from outside is ever unpacked by it. Equal declarations give the same tuple of tools, by
    which the gateway keeps what follows from them.
    """
    cache = WeighedCache[tuple[bytes, Told], DeclaredTools](MAX_TOOL_LISTS, MAX_TOOL_BYTES)

    def reader(declared: list[Json], told: Told) -> DeclaredTools:
        try:
            packed = b"".join([marshal.dumps(each, _NO_REFERENCES) for each in declared])
        except ValueError as error:
            raise Unsupported("tools", "are nested too deeply") from error
        found = cache.get((packed, told))
        if found is None:
            found = cache.put((packed, told), read(declared, told), len(packed))
        return found

    return reader


@dataclass(frozen=True, slots=True)
class FunctionTool:
    """A function tool of a request: its name, who may call it, its declaration for the model as
    Chat Completions has it, and its declaration for programs."""

    name: str
    callers: list[str]
    direct: Message
    programmatic: Json


def sort_tools(
    declared: list[Json],
    read: Callable[[Fields], FunctionTool | Message | None],
    *,
    allowed: frozenset[str] | None = None,
) -> DeclaredTools:
    """The tools by who may call them, if they are among the `allowed` names.

    `read` returns a function, or a tool of another kind that goes to the model as it is, or None
    for one that is not passed on.
    """
    programmatic: dict[int, Json] = {}
    direct: list[Message] = []
    named: dict[str, Message] = {}
    for place, item in enumerate(declared):
        tool = read(Fields(item, f"tools[{place}]"))
        if tool is None:
            continue
        if not isinstance(tool, FunctionTool):
            direct.append(tool)
        elif allowed is None or tool.name in allowed:
            named[tool.name] = tool.direct
            if "programmatic" in tool.callers:
                programmatic[place] = tool.programmatic
            if "direct" in tool.callers:
                direct.append(tool.direct)
    return DeclaredTools(read_tools(programmatic), tuple(direct), named)


def read_name(fields: Fields) -> str:
    """The name of a tool."""
    name = fields.text("name")
    if not name:
        raise FieldError(fields.path("name"), "is empty: a tool has a name")
    return name


def read_callers(fields: Fields, given: Json, default: str) -> list[str]:
    """Who may call a tool: `allowed_callers`, where it is given."""
    if given is None:
        return [default]
    if not isinstance(given, list) or not given or any(each not in _CALLERS for each in given):
        named = " and ".join(repr(each) for each in _CALLERS)
        raise FieldError(fields.path("allowed_callers"), f"must be a list of {named}")
    return given


def read_choice(fields: Fields) -> Fields | str | None:
    """`tool_choice`, which is a word, or an object that names a tool."""
    choice = fields.value.get("tool_choice")
    if choice is None or isinstance(choice, str):
        if choice not in (None, "none", "auto", "required"):
            raise Unsupported("tool_choice", "must be 'none', 'auto', 'required' or name a tool")
        return choice
    if not isinstance(choice, dict):
        raise FieldError("tool_choice", f"is {kind(choice)}, not a string or an object")
    return fields.inner("tool_choice")


def called_directly(call: Fields) -> bool:
    """Whether a call that came back says of itself that it is the model's own."""
    caller = call.value.get("caller")
    return isinstance(caller, dict) and caller.get("type") == "direct"
