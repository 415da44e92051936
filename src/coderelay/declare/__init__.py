"""Tools as a program sees them: named, declared, explained and checked."""

from coderelay.declare.argument_check import UNDECLARED_ARGUMENTS, UndeclaredArguments
from coderelay.declare.arguments import ToolHost
from coderelay.declare.check import check_tools
from coderelay.declare.index import DECLARATION_TOKENS
from coderelay.declare.instructions import code_tool, instructions
from coderelay.declare.languages import declarations
from coderelay.declare.names import names
from coderelay.declare.prompt import Prompt, prompt
from coderelay.declare.search import Search

__all__ = [
    "DECLARATION_TOKENS",
    "UNDECLARED_ARGUMENTS",
    "Prompt",
    "Search",
    "ToolHost",
    "UndeclaredArguments",
    "check_tools",
    "code_tool",
    "declarations",
    "instructions",
    "names",
    "prompt",
]
