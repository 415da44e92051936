"""The tools of a request. Custom tools are the client's own; of the API's tools there is one, code
execution, and whoever declares it gets programs in the API's own shape."""

import re
from collections.abc import Sequence
from functools import partial

from coderelay.conversation import Message, Unsupported
from coderelay.core import Json
from coderelay.dialects.kit.declared_tools import (
    DeclaredTools,
    FunctionTool,
    kept,
    read_callers,
    read_name,
    sort_tools,
)
from coderelay.dialects.kit.fields import Fields

CODE_EXECUTION = "code_execution"
_VERSION = re.compile(r"code_execution_20[0-9]{6}")
_CALLERS = ("code_execution_20260120", "code_execution_20250825")
"""The types of a `caller` that the API has, the newest first."""


def code_execution(declared: Sequence[Json]) -> str | None:
    """The type of the code execution tool, where it is declared."""
    types = [item.get("type") for item in declared if isinstance(item, dict)]
    return next((type for type in types if _is_code_execution(type)), None)


def caller_type(declared: str | None) -> str:
    """The type of the `caller` of a program's calls, for clients that declare this tool."""
    return next((type for type in _CALLERS if type <= (declared or "")), _CALLERS[-1])


@kept
def read_declared(declared: list[Json], vendor: bool) -> DeclaredTools:
    """The tools by who may call them. `vendor`: the API's own default holds, which is `direct`."""
    return sort_tools(declared, partial(_read, vendor=vendor))


def _read(fields: Fields, *, vendor: bool) -> FunctionTool | None:
    type = fields.text("type", "custom")
    if _is_code_execution(type):
        return None
    if type != "custom":
        reason = f"is {type!r:.60}: only custom tools and code execution are served here"
        raise Unsupported(fields.path("type"), reason)
    callers = _callers(fields, vendor)
    declaration = {**fields.value, "type": "custom"}
    return FunctionTool(read_name(fields), callers, _function(fields), declaration)


def _is_code_execution(type: Json) -> bool:
    return isinstance(type, str) and _VERSION.fullmatch(type) is not None


def _callers(fields: Fields, vendor: bool) -> list[str]:
    """Who may call a tool. Any version of code execution stands for programs."""
    given = fields.value.get("allowed_callers")
    if isinstance(given, list):
        given = ["programmatic" if _is_code_execution(each) else each for each in given]
    return read_callers(fields, given, "direct" if vendor else "programmatic")


def _function(fields: Fields) -> Message:
    """The declaration in the words of Chat Completions."""
    function: dict[str, Json] = {
        "name": read_name(fields),
        "description": fields.text("description", ""),
        "parameters": fields.inner("input_schema", {"type": "object", "properties": {}}).value,
    }
    if fields.flag("strict", False):
        function["strict"] = True
    return {"type": "function", "function": function}
