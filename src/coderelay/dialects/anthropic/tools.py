"""Reads the tools of a request: the client's custom tools, and the API's code execution tool.

A client that declares code execution gets programs in the API's own format. Other tools of the API
are refused.
"""

import re
from collections.abc import Sequence
from functools import partial

from coderelay.conversation import Message, Unsupported
from coderelay.core import Json
from coderelay.dialects.kit.declared_tools import (
    DeclaredTools,
    FunctionTool,
    cached_reader,
    read_callers,
    read_name,
    sort_tools,
)
from coderelay.dialects.kit.fields import Fields

CODE_EXECUTION = "code_execution"
_VERSION = re.compile(r"code_execution_20[0-9]{6}")
_CALLERS = ("code_execution_20260120", "code_execution_20250825")
"""The API's types of a `caller`, the newest first."""


def code_execution(declared: Sequence[Json]) -> str | None:
    """Return the type of the code execution tool, or None if it is not declared."""
    types = [item.get("type") for item in declared if isinstance(item, dict)]
    return next((type for type in types if _is_code_execution(type)), None)


def caller_type(declared: str | None) -> str:
    """Return the type of the `caller` of a program's calls, for clients that declare this version
    of code execution."""
    return next((type for type in _CALLERS if type <= (declared or "")), _CALLERS[-1])


@cached_reader
def read_declared(declared: list[Json], vendor: bool) -> DeclaredTools:
    """Return the tools by who may call them. `vendor` means that the API's own default applies,
    which is `direct`."""
    return sort_tools(declared, partial(_read, vendor=vendor))


def _read(fields: Fields, *, vendor: bool) -> FunctionTool | None:
    type = fields.text("type", "custom")
    if _is_code_execution(type):
        return None
    if type != "custom":
        reason = f"is {type!r:.60}: only custom tools and code execution are supported"
        raise Unsupported(fields.path("type"), reason)
    callers = _callers(fields, vendor)
    declaration = {**fields.value, "type": "custom"}
    return FunctionTool(read_name(fields), callers, _function(fields), declaration)


def _is_code_execution(type: Json) -> bool:
    return isinstance(type, str) and _VERSION.fullmatch(type) is not None


def _callers(fields: Fields, vendor: bool) -> list[str]:
    """Return who may call a tool. Any version of code execution means programs."""
    callers = fields.value.get("allowed_callers")
    if isinstance(callers, list):
        callers = ["programmatic" if _is_code_execution(each) else each for each in callers]
    return read_callers(fields, callers, "direct" if vendor else "programmatic")


def _function(fields: Fields) -> Message:
    """Return the declaration in the format of Chat Completions."""
    function: dict[str, Json] = {
        "name": read_name(fields),
        "description": fields.text("description", ""),
        "parameters": fields.inner("input_schema", {"type": "object", "properties": {}}).value,
    }
    if fields.flag("strict", False):
        function["strict"] = True
    return {"type": "function", "function": function}
