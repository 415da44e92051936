"""Tools from files: functions from `tools.py`, declarations without functions from `tools.json`."""

import hashlib
import importlib.util
import inspect
import sys
import traceback
from pathlib import Path
from types import ModuleType

from coderelay.client.local_tool import AnyLocalTool, LocalTool, tool
from coderelay.core import InvalidTool, RequestError, Tool
from coderelay.core.json_values import NotJson
from coderelay.wire import parse, tools_from_json


class ToolsFileError(RequestError):
    """Tools cannot be read from a file. The message says why, and where in the file."""


def load_tools(path: Path) -> tuple[Tool, ...]:
    """The declarations in a `.py` or `.json` file."""
    if path.suffix != ".json":
        return tuple(local.declaration for local in load_functions(path))
    try:
        return tools_from_json(parse(_present(path).read_bytes()))
    except (NotJson, InvalidTool) as error:
        raise ToolsFileError(f"{path}: {error}") from error


def load_functions(path: Path) -> tuple[AnyLocalTool, ...]:
    """The tools of a Python file: those marked with `@tool`, or else all its public functions."""
    if path.suffix != ".py":
        raise ToolsFileError(
            f"{path} holds no functions: tools that are to be called come from a .py file"
        )
    module = _import(_present(path))
    marked = {id(found): found for found in vars(module).values() if isinstance(found, LocalTool)}
    try:
        tools = list(marked.values()) or _public(module)
    except InvalidTool as error:
        raise ToolsFileError(f"{path}: {error}") from error
    if not tools:
        raise ToolsFileError(
            f"{path} has no tools: define a public function in it, or mark some with @tool"
        )
    return tuple(tools)


def _public(module: ModuleType) -> list[AnyLocalTool]:
    functions = {
        found: None
        for name, found in vars(module).items()
        if inspect.isfunction(found)
        and found.__module__ == module.__name__
        and not name.startswith("_")
    }
    return [tool(function) for function in functions]


def _present(path: Path) -> Path:
    if not path.is_file():
        raise ToolsFileError(f"{path}: there is no such file")
    return path


def _import(path: Path) -> ModuleType:
    """Import a file under a unique name. It can import its neighbours, like a script."""
    digest = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:8]
    name = f"coderelay_tools_{path.stem}_{digest}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ToolsFileError(f"{path} cannot be imported as Python")
    module = importlib.util.module_from_spec(spec)
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise ToolsFileError(_explain(path, error)) from error
    return module


def _explain(path: Path, error: BaseException) -> str:
    """The error, with the last line of the file that was run."""
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return f"{error.filename}, line {error.lineno}: {error.msg}"
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if _is(frame, path)]
    where = f"{path}, line {own[-1].lineno}" if own else str(path)
    if isinstance(error, InvalidTool):
        return f"{where}: {error}"
    return f"{where}: {type(error).__name__}: {error}"


def _is(frame: traceback.FrameSummary, path: Path) -> bool:
    return Path(frame.filename).resolve() == path.resolve()
