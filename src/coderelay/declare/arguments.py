"""A call that does not fit its tool's schema is answered by the host; no client sees it."""

from collections.abc import Sequence

from coderelay.core import Call, CallError, Json, Raised, Tool, ToolName
from coderelay.core.jsonvalue import MAX_DEPTH
from coderelay.declare.check import Checked, compiled
from coderelay.declare.languages import find
from coderelay.declare.misfit import Misfit, misfits, nearest, shown
from coderelay.declare.weight import MAX_WEIGHT

_REASONS = 3
_SHAPE = 300
_MESSAGE = 1_500


class ToolHost:
    """Answers the calls that name no tool or do not fit it. Its answers depend on the tools
    alone, so a replay gets the same.
    """

    def __init__(self, tools: Sequence[Tool], names: Sequence[ToolName], language: str) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._identifiers = {name.name: name.identifiers[0] for name in names}
        self._aliases = {each: name.identifiers[0] for name in names for each in name.identifiers}
        self._language = find(language)
        self._checked: dict[str, Checked] = {}

    def answer(self, call: Call) -> Raised | None:
        """The error that the call raises, or None where it is the client's to answer."""
        tool = self._tools.get(call.name)
        if tool is None:
            return Raised(CallError(self._unknown(call.name), name="UnknownToolError"))
        if call.name not in self._checked:
            self._checked[call.name] = compiled(tool)
        try:
            message = self._misfit(tool, self._checked[call.name], call.arguments)
        except UnicodeEncodeError:
            identifier = self._identifiers[call.name]
            message = f"{identifier}: a string in the arguments has half of a surrogate pair"
        if message is None:
            return None
        text = _cut(message, _MESSAGE).encode("utf-8", "replace").decode()
        return Raised(CallError(text, name="ArgumentsError", kind="arguments"))

    def _unknown(self, name: str) -> str:
        known = {**self._aliases, **self._identifiers}
        close = dict.fromkeys(known[each] for each in nearest(name, list(known)))
        some = "nearest" if close else "the tools are"
        listed = ", ".join(close or self._identifiers.values())
        return f"there is no tool {_cut(name, 80)!r}; {some}: {_cut(listed, _SHAPE)}"

    def _misfit(self, tool: Tool, checked: Checked, arguments: Json) -> str | None:
        identifier = self._identifiers[tool.name]
        depth = _depth(arguments)
        if depth > MAX_DEPTH:
            return f"{identifier}: the arguments are nested more than {MAX_DEPTH} levels deep"
        if checked.validator.is_valid(arguments):
            return None
        if not isinstance(arguments, dict):
            example = _cut(self._language.call(tool, identifier), _SHAPE)
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
            expected = "; ".join(_cut(each, _SHAPE) for each in types if each) or expected
        said = "; ".join(each.reason for each in found)
        return f"{identifier}: {said}\nexpected: {_cut(expected, 2 * _SHAPE)}"


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


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
