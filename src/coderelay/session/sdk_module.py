"""The module `sdk` as the host sees it: names, declarations, and the answers that are its own.

A program reaches a tool by its identifier. What it asks of the module itself goes by names with a
dot, which no tool can have. All that comes is hostile: the guest's side is only a convenience.
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
"""The names that the module needs for itself."""

_MOST_FOUND = 50
_LETTER_FUEL = 30
"""Fuel for each letter of a stub that a cell asks for."""
_LANGUAGE = PYTHON.name
_HEAD = '''\
"""Your tools: what `import sdk` gives. Written by Coderelay; a change here changes nothing.

Functions are called as sdk.NAME(argument=value); those with a default of ... may be left out.
sdk.search("words") finds tools, sdk.gather(sdk.NAME.later(...), ...) makes several calls at once,
sdk.ToolError is what a failing tool raises.
"""'''
MARK = _HEAD.partition("\n")[0]
"""How a file of ours begins."""


def guest_source() -> str:
    """The module's text for the guest: the same for all tools, which it asks the host for."""
    return Path(__file__).with_name("inside").joinpath(FILE).read_text("utf-8")


class Sdk:
    """The tools of a session. Raises `InvalidTool` where one cannot be one."""

    def __init__(
        self, tools: Sequence[Tool], undeclared_arguments: UndeclaredArguments = "refuse"
    ) -> None:
        check_tools(tools)
        self.tools = tools
        self.names: tuple[ToolName, ...] = names(tools, _LANGUAGE, taken=OWN)
        self._host = ToolHost(
            tools, self.names, _LANGUAGE, undeclared_arguments=undeclared_arguments
        )
        self._directory = ToolLookup(tools, self.names, _LANGUAGE)
        self._places = {
            each: place for place, name in enumerate(self.names) for each in name.identifiers
        }
        self._own = {"search": self._search, "source": self._source, "names": self._names}

    @cached_property
    def stubs(self) -> Stubs:
        """The declarations, as plain functions."""
        return stubs(self.tools, self.names, word="def")

    @cached_property
    def declarations(self) -> str:
        """All of them as one text."""
        return sendable(self.stubs.text())

    @cached_property
    def file(self) -> str:
        """The text of `sdk.py`."""
        return f"{_HEAD}\n\n{self.declarations}\n"

    def asked(self, name: str, arguments: Json, work: Work) -> Result | ToolCall:
        """What a program's call comes to: an answer at once, or a call for the callback. What
        that cost is added to `work`."""
        module, dot, own = name.partition(".")
        if dot and module == MODULE and own in self._own and isinstance(arguments, dict):
            return self._own[own](arguments, work)
        place = self._places.get(name)
        wire = name if place is None else self.names[place].name
        misfit = self._host.answer(Call(0, wire, arguments), work)
        if misfit is not None:
            return misfit
        if not isinstance(arguments, dict):  # which a schema that allows anything lets pass
            return _misused(f"{name} takes an object")
        return ToolCall(wire, arguments)

    def _search(self, arguments: dict[str, Json], work: Work) -> Result:
        query, limit = arguments.get("query"), arguments.get("limit")
        if not isinstance(query, str):
            return _misused('sdk.search takes words: sdk.search("weather forecast")')
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
            return _misused("sdk.search takes a limit of at least 1")
        return Returned(self._directory.search(query, min(limit, _MOST_FOUND), work))

    def _source(self, arguments: dict[str, Json], work: Work) -> Result:
        wanted = arguments.get("names")
        if not isinstance(wanted, list) or len(wanted) > len(self._places):
            return _misused("the names of tools are a list")
        found: dict[int, None] = {}
        for name in wanted:
            place = self._places.get(name) if isinstance(name, str) else None
            if place is None:
                return Raised(CallError(self._directory.unknown(str(name)), "UnknownToolError"))
            found[place] = None
        parts = [self._part(place) for place in found]
        work.add(_LETTER_FUEL * sum(len(self.stubs.stubs[place].function) for place in found))
        return Returned(parts)

    def _part(self, place: int) -> dict[str, Json]:
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


def _misused(message: str) -> Raised:
    return Raised(CallError(message, name="ArgumentsError", kind="arguments"))
