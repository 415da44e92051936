"""All that follows from a list of tools, worked out once: names, checks, what the model is told.

A client sends the same tools with every request, and a dialect gives equal declarations as the
same tuple: so the tuple itself is the key. Dropping what is kept changes no answer.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TypeAlias

from coderelay.core import Json, Limits, Outcome, Program, Run, Tool
from coderelay.core.cache import WeighedCache
from coderelay.core.journal import Journal
from coderelay.core.json_values import dump
from coderelay.core.limits import MB
from coderelay.declare import (
    DECLARATION_TOKENS,
    ToolHost,
    UndeclaredArguments,
    check_tools,
    code_tool,
    names,
    prompt,
)
from coderelay.engines.bound_names import reached, words
from coderelay.engines.interface import Engine

_KEPT, _KEPT_BYTES = 128, 32 * MB
"""How many toolsets are kept, and how many bytes of declarations."""
_HOSTS = 8
"""How many subsets of a toolset are kept, for programs that began before a tool was added."""

Engines: TypeAlias = Callable[[str], Engine]
"""Gives the engine of a language. Raises `UnknownLanguage`."""


class Toolset:
    """Tools in a language. Raises `InvalidTool` where one cannot be one.

    Declarations that would take more than `tokens` are an index: see `coderelay.declare.prompt`.
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
        self._engines = engines
        self._undeclared_arguments: UndeclaredArguments = undeclared_arguments
        self.tools = tools
        self.language = language
        self._host = self._made_host(tools)
        self._hosts = {frozenset[str](): self._host}
        self.prompt = prompt(tools, language, tokens=tokens).text
        """What is added to the system message: the rules, then the declarations in tool order."""

    @cached_property
    def code_tool(self) -> dict[str, Json]:
        """The one tool that the model is offered, as an upstream takes it."""
        tool = code_tool(self.language)
        return {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
            },
        }

    @cached_property
    def code_name(self) -> str:
        """The name of the code tool."""
        return code_tool(self.language).name

    @cached_property
    def identifiers(self) -> dict[str, str]:
        """What a program calls each tool, and each of the host's functions, by its wire name."""
        return {name.name: name.identifiers[0] for name in self._host.names}

    @cached_property
    def spellings(self) -> frozenset[str]:
        """All names by which a program may call a tool, or one of the host's own functions."""
        return frozenset(each for name in self._host.names for each in name.identifiers)

    def fingerprint(self, program: Program) -> str:
        """The version of the sandbox that the program runs in here."""
        return self._engines(program.language).fingerprint

    def mentioned(self, sources: Iterable[str]) -> frozenset[str]:
        """The tools whose names occur in these programs."""
        known = {word for source in sources for word in words(source)}
        return frozenset(tool.name for tool in reached(self._host.names, known))

    def evaluate(
        self,
        program: Program,
        journal: Journal,
        limits: Limits,
        declared: frozenset[str] | None = None,
    ) -> Outcome:
        """Run a program from its start with the recorded answers. Blocks.

        `declared` are the tools among those it mentions that there were when it began, if that is
        known. It runs without any that were added later, so that it comes to the same end.
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
            found = self._made_host(tools)
            if len(self._hosts) < _HOSTS:
                self._hosts[missing] = found
        return found

    def _made_host(self, tools: Sequence[Tool]) -> ToolHost:
        return ToolHost(
            tools,
            names(tools, self.language),
            self.language,
            undeclared_arguments=self._undeclared_arguments,
        )


class Toolsets:
    """The toolsets that were used last."""

    def __init__(
        self,
        engines: Engines,
        tokens: int = DECLARATION_TOKENS,
        undeclared_arguments: UndeclaredArguments = "refuse",
    ) -> None:
        self._engines = engines
        self._tokens = tokens
        self._undeclared_arguments: UndeclaredArguments = undeclared_arguments
        self._cache = WeighedCache[tuple[int, str], Toolset](_KEPT, _KEPT_BYTES)

    def kept(self, tools: tuple[Tool, ...], language: str) -> Toolset | None:
        """The toolset of these tools, if it is kept: then nobody else can have the tuple's id."""
        return self._cache.get((id(tools), language))

    def of(self, tools: tuple[Tool, ...], language: str) -> Toolset:
        """The toolset of these tools, made where it is not kept. That may take a while."""
        found = self.kept(tools, language)
        if found is not None:
            return found
        made = Toolset(tools, language, self._engines, self._tokens, self._undeclared_arguments)
        return self._cache.put((id(tools), language), made, sum(map(_weight, tools)))


def _weight(tool: Tool) -> int:
    return len(tool.description) + len(dump(tool.parameters)) + len(dump(tool.returns))
