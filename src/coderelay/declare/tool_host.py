"""The host answers a call that does not fit its tool, or that asks about the tools. The client
never sees such a call."""

from collections.abc import Sequence
from typing import Literal

from coderelay.core import Call, CallError, Json, Raised, Result, Returned, Tool, ToolName, Work
from coderelay.core.alternatives import alternatives
from coderelay.core.unicode import sendable
from coderelay.declare.argument_check import (
    UNDECLARED_ARGUMENTS,
    ArgumentCheck,
    UndeclaredArguments,
)
from coderelay.declare.host_functions import SEARCH, HostFunction, bind
from coderelay.declare.tool_lookup import ToolLookup
from coderelay.languages.language import TOOLS_FOUND
from coderelay.languages.language_registry import find_language
from coderelay.schemas.schema_notes import cut

_MESSAGE = 1_500


class ToolHost:
    """Answers calls of unknown tools, calls with wrong arguments, and calls of the host's own
    functions. Its answers depend only on the tools, so a replay gets the same.

    An argument that a tool's schema does not declare is wrong, unless the schema lets it pass or
    `undeclared_arguments` is `allow`: see `coderelay.schemas.undeclared`.
    """

    def __init__(
        self,
        tools: Sequence[Tool],
        names: Sequence[ToolName],
        language: str,
        *,
        undeclared_arguments: UndeclaredArguments = "refuse",
    ) -> None:
        if undeclared_arguments not in UNDECLARED_ARGUMENTS:
            known = alternatives(UNDECLARED_ARGUMENTS)
            raise ValueError(
                f"unknown choice {undeclared_arguments!r} for undeclared arguments: choose {known}"
            )
        self._language = find_language(language)
        own = bind(names, self._language)
        self.names = (*(each.name for each in own.values()), *names)
        """Everything that a program can call: the host's own functions, then the tools."""
        self._own = {name: each.function for name, each in own.items()}
        self._tools = {tool.name: tool for tool in tools}
        self._identifiers = {name.name: name.identifiers[0] for name in names}
        self._directory = ToolLookup(tools, names, language)
        self._undeclared = undeclared_arguments
        self._checks: dict[str, ArgumentCheck] = {}

    def answer(self, call: Call, work: Work | None = None) -> Result | None:
        """The answer to the call, or None where the client has to answer it. The cost is added to
        `work`."""
        own, tool = self._own.get(call.name), self._tools.get(call.name)
        work = work or Work()
        try:
            if own is not None:
                return self._ask(own, own.named(call.arguments), work)
            if tool is None:
                return _raised(self._directory.unknown(call.name), "UnknownToolError")
            return self._check(tool, call.arguments, work)
        except UnicodeEncodeError:
            name = call.name if tool is None else self._identifiers[call.name]
            return _invalid_arguments(
                f"{name}: a string in the arguments has half of a surrogate pair"
            )

    def _ask(self, own: HostFunction, arguments: dict[str, Json] | None, work: Work) -> Result:
        """The answer of one of the host's own functions."""
        message = own.find_error(arguments, self._language)
        if message is not None or arguments is None:
            return _invalid_arguments(message or "")
        if own is SEARCH:
            limit = int(arguments.get("limit", TOOLS_FOUND))
            return Returned(self._directory.search(arguments["query"], limit, work))
        described = self._directory.describe(arguments["name"], work)
        if described is None:
            return _raised(self._directory.unknown(arguments["name"]), "UnknownToolError")
        return Returned(described)

    def _check(self, tool: Tool, arguments: Json, work: Work) -> Raised | None:
        check = self._checks.get(tool.name)
        if check is None:
            identifier = self._identifiers[tool.name]
            check = ArgumentCheck(tool, identifier, self._language, self._undeclared)
            self._checks[tool.name] = check
        message = check.find_error(arguments, work)
        return None if message is None else _invalid_arguments(message)


def _invalid_arguments(message: str) -> Raised:
    return _raised(sendable(cut(message, _MESSAGE)), "ArgumentsError", "arguments")


def _raised(
    message: str, name: str, kind: Literal["exception", "arguments"] = "exception"
) -> Raised:
    return Raised(CallError(message, name=name, kind=kind))
