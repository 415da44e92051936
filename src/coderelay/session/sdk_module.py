"""The host's side of the module `sdk`: the tools' names and declarations, search, and validation.

A program calls a tool by its identifier. Calls of the module itself, such as `sdk.search`, have a
name with a dot, which no tool can have. The host trusts nothing that comes from the guest: checks
in the guest's half of the module are only for convenience.
"""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from coderelay.core import Call, CallError, Json, Raised, Result, Returned, Tool, ToolName, Work
from coderelay.core.unicode import sendable
from coderelay.declare import ToolHost, UndeclaredArguments, check_tools, names
from coderelay.declare.tool_lookup import ToolLookup
from coderelay.languages.python import PYTHON
from coderelay.languages.python.declarations import Stubs, stubs
from coderelay.session.callbacks import ToolCall

MODULE = "sdk"
FILE = "sdk.py"
OWN = ("ArgumentsError", "Found", "Later", "ToolError", "gather", "search", "search_tools")
"""The names that the module defines itself, so that no tool may have them."""

_MOST_FOUND = 50
_LETTER_FUEL = 30
"""How much fuel each letter of a stub costs a cell that loads it."""
_LANGUAGE = PYTHON.name
_HEAD = '''\
"""Your tools: what `import sdk` gives. Written by Coderelay; a change here changes nothing.

Functions are called as sdk.NAME(argument=value); those with a default of ... may be left out.
sdk.search("words") finds tools, sdk.gather(sdk.NAME.later(...), ...) makes several calls at once,
sdk.ToolError is what a failing tool raises.
"""'''
MARK = _HEAD.partition("\n")[0]
"""The first line of an `sdk.py` that a session wrote."""


def guest_source() -> str:
    """Return the source of the guest's half of the module, which loads the tools from the host."""
    return Path(__file__).with_name("inside").joinpath(FILE).read_text("utf-8")


class Sdk:
    """The tools of a session. Raises `InvalidTool` for a tool that cannot be declared."""

    def __init__(
        self, tools: Sequence[Tool], undeclared_arguments: UndeclaredArguments = "refuse"
    ) -> None:
        check_tools(tools)
        self.tools = tools
        self.names: tuple[ToolName, ...] = names(tools, _LANGUAGE, taken=OWN)
        self._host = ToolHost(
            tools, self.names, _LANGUAGE, undeclared_arguments=undeclared_arguments
        )
        self._lookup = ToolLookup(tools, self.names, _LANGUAGE)
        self._places = {
            each: place for place, name in enumerate(self.names) for each in name.identifiers
        }
        self._own = {"search": self._search, "source": self._source, "names": self._names}

    @cached_property
    def stubs(self) -> Stubs:
        """The declarations of the tools, as functions that are not async."""
        return stubs(self.tools, self.names, word="def")

    @cached_property
    def declarations(self) -> str:
        """The declarations of all tools as one text."""
        return sendable(self.stubs.text())

    @cached_property
    def file(self) -> str:
        """The text of `sdk.py`."""
        return f"{_HEAD}\n\n{self.declarations}\n"

    def resolve(self, name: str, arguments: Json, work: Work) -> Result | ToolCall:
        """Return the result of a program's call if the host can tell it, or else the call for the
        callback. The cost of finding out is added to `work`."""
        module, dot, own = name.partition(".")
        if dot and module == MODULE and own in self._own and isinstance(arguments, dict):
            return self._own[own](arguments, work)
        place = self._places.get(name)
        wire = name if place is None else self.names[place].name
        error = self._host.answer(Call(0, wire, arguments), work)
        if error is not None:
            return error
        if not isinstance(arguments, dict):  # a schema that allows anything has not refused it
            return _arguments_error(f"{name} takes its arguments as one object")
        return ToolCall(wire, arguments)

    def _search(self, arguments: dict[str, Json], work: Work) -> Result:
        query, limit = arguments.get("query"), arguments.get("limit")
        if not isinstance(query, str):
            return _arguments_error('sdk.search takes words: sdk.search("weather forecast")')
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
            return _arguments_error("sdk.search takes a limit of at least 1")
        return Returned(self._lookup.search(query, min(limit, _MOST_FOUND), work))

    def _source(self, arguments: dict[str, Json], work: Work) -> Result:
        """Return what the guest needs to define the tools of the given names."""
        requested = arguments.get("names")
        if not isinstance(requested, list) or len(requested) > len(self._places):
            return _arguments_error("the names of tools must be a list")
        found: dict[int, None] = {}
        for name in requested:
            place = self._places.get(name) if isinstance(name, str) else None
            if place is None:
                return Raised(CallError(self._lookup.unknown(str(name)), "UnknownToolError"))
            found[place] = None
        parts = [self._declaration(place) for place in found]
        work.add(_LETTER_FUEL * sum(len(self.stubs.stubs[place].function) for place in found))
        return Returned(parts)

    def _declaration(self, place: int) -> dict[str, Json]:
        name, stub = self.names[place], self.stubs.stubs[place]
        return {
            "name": name.identifiers[0],
            "aliases": list(name.identifiers[1:]),
            "parameters": [sendable(each) for each in name.parameters],
            "types": [sendable(each) for each in stub.types],
            "stub": sendable(stub.function),
        }

    def _names(self, arguments: dict[str, Json], work: Work) -> Result:
        return Returned([name.identifiers[0] for name in self.names])


def _arguments_error(message: str) -> Raised:
    return Raised(CallError(message, name="ArgumentsError", kind="arguments"))
