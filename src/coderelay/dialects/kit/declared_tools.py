"""Sorts the tools of a request by who may call them: programs, the model itself, or both."""

import marshal
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from coderelay.conversation import FieldError, Message, Unsupported
from coderelay.core import Json, Tool
from coderelay.core.alternatives import alternatives
from coderelay.core.cache import MAX_TOOL_BYTES, MAX_TOOL_LISTS, WeighedCache
from coderelay.core.json_values import kind
from coderelay.dialects.kit.fields import Fields
from coderelay.dialects.kit.program_fields import read_tools

Options = TypeVar("Options", bound=Hashable)

OWN_FIELDS = ("allowed_callers", "output_schema", "output")
"""Fields that Coderelay adds to a declaration. They are removed before it goes upstream."""
_CALLERS = ("direct", "programmatic")
# Version 2 of marshal's format is the last one whose bytes depend on the values alone: later ones
# also depend on which objects are shared.
_NO_REFERENCES = 2


@dataclass(frozen=True, slots=True)
class DeclaredTools:
    """The tools that programs may call, and those that the model may call itself in the format of
    Chat Completions. `named` has all function tools by name, in the same format."""

    programmatic: tuple[Tool, ...] = ()
    direct: tuple[Message, ...] = ()
    named: Mapping[str, Message] = field(default_factory=dict)

    def direct_with(self, name: str) -> tuple[Message, ...]:
        """Return the direct tools and, if it is not among them, the one that `tool_choice`
        names."""
        if name not in self.named:
            reason = f"names {name!r:.80}, which is not among the tools: declare it in 'tools'"
            raise Unsupported("tool_choice", reason)
        if self.named[name] in self.direct:
            return self.direct
        return (*self.direct, self.named[name])


def cached_reader(
    read: Callable[[list[Json], Options], DeclaredTools],
) -> Callable[[list[Json], Options], DeclaredTools]:
    """Cache what a reader of tools returns, because a client sends the same tools with every
    request. `Options` is everything else that the result depends on.

    The bytes of the declarations are the key. `marshal` is the fastest way to get them, and is only
    used for writing, so that nothing from outside is ever unmarshalled. Equal declarations give the
    same tuple object, whose identity is the key of the gateway's cache.
    """
    cache = WeighedCache[tuple[bytes, Options], DeclaredTools](MAX_TOOL_LISTS, MAX_TOOL_BYTES)

    def reader(declared: list[Json], options: Options) -> DeclaredTools:
        try:
            packed = b"".join([marshal.dumps(each, _NO_REFERENCES) for each in declared])
        except ValueError as error:
            raise Unsupported("tools", "are nested too deeply") from error
        found = cache.get((packed, options))
        if found is None:
            found = cache.put((packed, options), read(declared, options), len(packed))
        return found

    return reader


@dataclass(frozen=True, slots=True)
class FunctionTool:
    """A function tool of a request: its name, who may call it, its declaration for the model in the
    format of Chat Completions, and its declaration for programs."""

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
    """Return the tools by who may call them, leaving out those that are not `allowed`.

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
    """Return the name of a tool, which must not be empty."""
    name = fields.text("name")
    if not name:
        raise FieldError(fields.path("name"), "must not be empty")
    return name


def read_callers(fields: Fields, callers: Json, default: str) -> list[str]:
    """Return who may call a tool: the value of `allowed_callers`, or the default if it is None."""
    if callers is None:
        return [default]
    if (
        not isinstance(callers, list)
        or not callers
        or any(each not in _CALLERS for each in callers)
    ):
        named = alternatives(map(repr, _CALLERS))
        raise FieldError(fields.path("allowed_callers"), f"must be a list with {named} or both")
    return callers


def read_choice(fields: Fields) -> Fields | str | None:
    """Return `tool_choice`, which is a word, or an object that names a tool."""
    choice = fields.value.get("tool_choice")
    if choice is None or isinstance(choice, str):
        if choice not in (None, "none", "auto", "required"):
            raise Unsupported("tool_choice", "must be 'none', 'auto', 'required' or name a tool")
        return choice
    if not isinstance(choice, dict):
        raise FieldError("tool_choice", f"is {kind(choice)}, not a string or an object")
    return fields.inner("tool_choice")


def called_directly(call: Fields) -> bool:
    """Return whether a call that the client sent back is marked as made by the model itself."""
    caller = call.value.get("caller")
    return isinstance(caller, dict) and caller.get("type") == "direct"
