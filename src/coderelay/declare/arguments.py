"""A call that does not fit its tool, or asks about the tools, is answered by the host; no client
sees it."""

from collections.abc import Sequence
from typing import Literal

from coderelay.core import Call, CallError, Json, Raised, Result, Returned, Tool, ToolName, Work
from coderelay.core.jsonvalue import MAX_DEPTH
from coderelay.declare.check import Checked, compiled
from coderelay.declare.directory import Directory
from coderelay.declare.languages import find, sendable
from coderelay.declare.misfit import Misfit, misfits, shown
from coderelay.declare.notes import cut
from coderelay.declare.own import FOUND, SEARCH, Own, bind
from coderelay.declare.weight import MAX_WEIGHT

_REASONS = 3
_SHAPE = 300
_MESSAGE = 1_500


class ToolHost:
    """Answers the calls that name no tool, do not fit it, or are of the host's own functions. Its
    answers depend on the tools alone, so a replay gets the same.
    """

    def __init__(self, tools: Sequence[Tool], names: Sequence[ToolName], language: str) -> None:
        own = bind(names, language)
        self.names = (*(each.name for each in own.values()), *names)
        """All that a program can call: the host's own functions, then the tools."""
        self._own = {name: each.own for name, each in own.items()}
        self._tools = {tool.name: tool for tool in tools}
        self._identifiers = {name.name: name.identifiers[0] for name in names}
        self._directory = Directory(tools, names, language)
        self._name = language
        self._language = find(language)
        self._checked: dict[str, Checked] = {}

    def answer(self, call: Call, work: Work | None = None) -> Result | None:
        """The answer to the call, or None where that is the client's to give."""
        own, tool = self._own.get(call.name), self._tools.get(call.name)
        try:
            if own is not None:
                return self._ask(own, own.named(call.arguments))
            if tool is None:
                return _raised(self._directory.unknown(call.name), "UnknownToolError")
            return self._check(tool, call.arguments)
        except UnicodeEncodeError:
            name = call.name if tool is None else self._identifiers[call.name]
            return _misfit(f"{name}: a string in the arguments has half of a surrogate pair")

    def _ask(self, own: Own, arguments: dict[str, Json] | None) -> Result:
        """The answer of a function of our own."""
        message = own.misfit(arguments, self._name)
        if message is not None or arguments is None:
            return _misfit(message or "")
        if own is SEARCH:
            limit = int(arguments.get("limit", FOUND))
            return Returned(self._directory.search(arguments["query"], limit))
        described = self._directory.describe(arguments["name"])
        if described is None:
            return _raised(self._directory.unknown(arguments["name"]), "UnknownToolError")
        return Returned(described)

    def _check(self, tool: Tool, arguments: Json) -> Raised | None:
        if tool.name not in self._checked:
            self._checked[tool.name] = compiled(tool)
        message = self._misfit(tool, self._checked[tool.name], arguments)
        return None if message is None else _misfit(message)

    def _misfit(self, tool: Tool, checked: Checked, arguments: Json) -> str | None:
        identifier = self._identifiers[tool.name]
        depth = _depth(arguments)
        if depth > MAX_DEPTH:
            return f"{identifier}: the arguments are nested more than {MAX_DEPTH} levels deep"
        if checked.validator.is_valid(arguments):
            return None
        if not isinstance(arguments, dict):
            example = cut(self._language.call(tool, identifier), _SHAPE)
            return f"{identifier} takes one object, got {shown(arguments)}: call {example}"
        if checked.weight.at(depth) > MAX_WEIGHT:
            return self._say(tool, [Misfit("the arguments do not fit", None)])
        found = misfits(checked.validator.iter_errors(arguments), tool.parameters, _REASONS)
        return self._say(tool, found) if found else None

    def _say(self, tool: Tool, found: Sequence[Misfit]) -> str:
        """The reasons, and the shape that was expected: the whole of it, or what matters."""
        identifier = self._identifiers[tool.name]
        expected = self._language.signature(tool, identifier)
        if len(expected) > _SHAPE:
            about = dict.fromkeys(each.parameter for each in found if each.parameter is not None)
            types = [self._language.parameter(tool, identifier, name) for name in about]
            expected = "; ".join(cut(each, _SHAPE) for each in types if each) or expected
        said = "; ".join(each.reason for each in found)
        return f"{identifier}: {said}\nexpected: {cut(expected, 2 * _SHAPE)}"


def _depth(value: Json) -> int:
    """How deeply a value is nested; counted no further than the limit."""
    level, depth = [value], 0
    while level and depth <= MAX_DEPTH:
        inner: list[Json] = []
        for item in level:
            if isinstance(item, dict):
                inner.extend(item.values())
            elif isinstance(item, list):
                inner.extend(item)
        level, depth = inner, depth + 1
    return depth


def _misfit(message: str) -> Raised:
    return _raised(sendable(cut(message, _MESSAGE)), "ArgumentsError", "arguments")


def _raised(
    message: str, name: str, kind: Literal["exception", "arguments"] = "exception"
) -> Raised:
    return Raised(CallError(message, name=name, kind=kind))
