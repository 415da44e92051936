"""Tools as a program sees them: named, declared, explained and checked."""

from coderelay.declare.argument_check import UNDECLARED_ARGUMENTS, UndeclaredArguments
from coderelay.declare.prompt import Prompt, code_tool, declarations, instructions, prompt
from coderelay.declare.tool_host import ToolHost
from coderelay.declare.tool_index import DECLARATION_TOKENS
from coderelay.declare.tool_names import names
from coderelay.declare.tool_search import Search
from coderelay.schemas.schema_check import check_tools

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
