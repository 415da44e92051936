"""Computes once what follows from a list of tools: their names, argument checks and the prompt.

A client sends the same tools with every request, and a dialect returns equal declarations as the
same tuple object, so the identity of the tuple is the key of the cache. Dropping the cache changes
no answer.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TypeAlias

from coderelay.core import Json, Limits, Outcome, Program, Run, Tool
from coderelay.core.cache import MAX_TOOL_BYTES, MAX_TOOL_LISTS, WeighedCache
from coderelay.core.journal import Journal
from coderelay.core.json_values import dump
from coderelay.declare import (
    DECLARATION_TOKENS,
    ToolHost,
    UndeclaredArguments,
    check_tools,
    code_tool,
    names,
    prompt,
)
from coderelay.engines.bound_names import named_tools, possible_names
from coderelay.engines.interface import Engine
from coderelay.wire import function_tool

_HOSTS = 8
"""How many subsets of a toolset are cached, for programs that began before a tool was added."""

Engines: TypeAlias = Callable[[str], Engine]
"""Returns the engine of a language. Raises `UnknownLanguage`."""


class Toolset:
    """A list of tools in one language. Raises `InvalidTool` if one of them is not valid.

    If the declarations would take more than `tokens`, the prompt has an index instead: see
    `coderelay.declare.prompt`.
    """

    def __init__(
        self,
        tools: tuple[Tool, ...],
        language: str,
        engines: Engines,
        tokens: int = DECLARATION_TOKENS,
        undeclared_arguments: UndeclaredArguments = "refuse",
    ) -> None:
        check_tools(tools)
        self.identity = object()
        """Stands for this toolset in the keys of caches, which would keep the toolset alive."""
        self._engines = engines
        self._undeclared_arguments: UndeclaredArguments = undeclared_arguments
        self.tools = tools
        self.language = language
        self.fingerprint = engines(language).fingerprint
        """The version of the sandbox that programs run in."""
        self._host = self._build_host(tools)
        self._hosts = {frozenset[str](): self._host}
        self.prompt = prompt(tools, language, tokens=tokens).text
        """The text that is added to the system message: the rules for programs, then the
        declarations in the order of the tools."""

    @cached_property
    def code_tool(self) -> dict[str, Json]:
        """The tool with which the model runs a program, in the format of Chat Completions."""
        return function_tool(code_tool(self.language))

    @cached_property
    def code_name(self) -> str:
        """The name of the code tool."""
        return code_tool(self.language).name

    @cached_property
    def identifiers(self) -> dict[str, str]:
        """The identifier of each tool and host function in programs, by the name on the wire."""
        return {name.name: name.identifiers[0] for name in self._host.names}

    @cached_property
    def spellings(self) -> frozenset[str]:
        """All identifiers by which a program may call a tool or a host function."""
        return frozenset(each for name in self._host.names for each in name.identifiers)

    def mentioned(self, sources: Iterable[str]) -> frozenset[str]:
        """Return the names of the tools that occur in these programs."""
        known = {word for source in sources for word in possible_names(source)}
        return frozenset(tool.name for tool in named_tools(self._host.names, known))

    def evaluate(
        self,
        program: Program,
        journal: Journal,
        limits: Limits,
        declared: frozenset[str] | None = None,
    ) -> Outcome:
        """Run a program from its start with the recorded results, and return the outcome. This
        blocks until the program stops.

        `declared` are the tools it mentions that were declared when it began, if that is known.
        It runs without those that were added later, so that the outcome stays the same.
        """
        host = self._host
        if declared is not None:
            host = self._host_without(self.mentioned([program.source]) - declared)
        run = Run(self._engines(program.language).start(program, host.names, limits), host)
        try:
            return run.proceed(journal)
        finally:
            run.close()

    def _host_without(self, missing: frozenset[str]) -> ToolHost:
        found = self._hosts.get(missing)
        if found is None:
            tools = [tool for tool in self.tools if tool.name not in missing]
            found = self._build_host(tools)
            if len(self._hosts) < _HOSTS:
                self._hosts[missing] = found
        return found

    def _build_host(self, tools: Sequence[Tool]) -> ToolHost:
        return ToolHost(
            tools,
            names(tools, self.language),
            self.language,
            undeclared_arguments=self._undeclared_arguments,
        )


class Toolsets:
    """A cache of the toolsets that were used last."""

    def __init__(
        self,
        engines: Engines,
        tokens: int = DECLARATION_TOKENS,
        undeclared_arguments: UndeclaredArguments = "refuse",
    ) -> None:
        self._engines = engines
        self._tokens = tokens
        self._undeclared_arguments: UndeclaredArguments = undeclared_arguments
        self._cache = WeighedCache[tuple[int, str], Toolset](MAX_TOOL_LISTS, MAX_TOOL_BYTES)

    def cached(self, tools: tuple[Tool, ...], language: str) -> Toolset | None:
        """Return the toolset of these tools, or None if it is not cached. A cached toolset keeps
        its tuple of tools alive, so no other tuple can have the same id."""
        return self._cache.get((id(tools), language))

    def of(self, tools: tuple[Tool, ...], language: str) -> Toolset:
        """Return the toolset of these tools, and build it if it is not cached. Building one may
        take seconds for thousands of tools."""
        found = self.cached(tools, language)
        if found is not None:
            return found
        made = Toolset(tools, language, self._engines, self._tokens, self._undeclared_arguments)
        return self._cache.put((id(tools), language), made, sum(map(_weight, tools)))


def _weight(tool: Tool) -> int:
    return len(tool.description) + len(dump(tool.parameters)) + len(dump(tool.returns))
