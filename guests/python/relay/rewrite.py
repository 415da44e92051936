"""`asyncio.run(x)` becomes `await x`: the program is in an event loop already."""

import ast
from typing import Any

from relay.pristine import __builtins__  # noqa: F401

RUNS = r"run(?<!\wrun)(_until_complete)?\s*\("
"""Text without this needs no rewriting."""
RETURNED = "__returned__"
"""The name under which the value of an `asyncio.run` at the top is kept."""

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def rewritten(tree: ast.Module) -> ast.Module:
    """The program with its runs awaited, at the top and in the plain functions that the top calls.

    Such a function becomes an async one, and so does whatever calls it by name.
    """
    runs = _Runs(tree)
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef) and _plain(n)}
    changed: set[str] = set()
    while True:
        more = {
            name
            for name, node in functions.items()
            if name not in changed and _awaits(node, runs, changed)
        }
        if not more:
            break
        changed |= more
    body = [_Awaiting(runs, changed, top=True).visit(node) for node in tree.body]
    done = [_made_async(n, runs, changed) if _named(n, changed) else n for n in body]
    return ast.fix_missing_locations(ast.Module(done, tree.type_ignores))


class _Runs:
    """Knows which calls run a coroutine."""

    def __init__(self, tree: ast.Module) -> None:
        self._modules, self._functions = {"asyncio"}, set[str]()
        for node in tree.body:
            if isinstance(node, ast.Import):
                self._modules |= {n.asname for n in node.names if n.name == "asyncio" and n.asname}
            elif isinstance(node, ast.ImportFrom) and node.module == "asyncio":
                self._functions |= {n.asname or n.name for n in node.names if n.name == "run"}
        self._modules |= {name for node in ast.walk(tree) if (name := self._runner(node))}

    def _runner(self, node: ast.AST) -> str | None:
        """The name that an `asyncio.Runner()` gets here: its `run` is as good as the module's."""
        match node:
            case ast.withitem(
                ast.Call(ast.Attribute(ast.Name(module), "Runner")), ast.Name(name)
            ) | ast.Assign([ast.Name(name)], ast.Call(ast.Attribute(ast.Name(module), "Runner"))):
                return name if module in self._modules else None
        return None

    def argument(self, node: ast.AST) -> ast.expr | None:
        """What is run, where the node is a run."""
        match node:
            case ast.Call(ast.Attribute(ast.Name(module), "run"), [first, *_]):
                return first if module in self._modules else None
            case ast.Call(ast.Attribute(_, "run_until_complete"), [first]):
                return first
            case ast.Call(ast.Name(function), [first, *_]):
                return first if function in self._functions else None
        return None


class _Awaiting(ast.NodeTransformer):
    """Awaits runs, and calls of functions that became async, in one scope."""

    def __init__(self, runs: _Runs, changed: set[str], *, top: bool) -> None:
        self._runs = runs
        self._changed = changed
        self._top = top

    def visit(self, node: ast.AST) -> Any:
        """Scopes inside this one are left as they are."""
        return node if isinstance(node, _SCOPES) else super().visit(node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """One call, if it is such a call."""
        self.generic_visit(node)
        run = self._runs.argument(node)
        if run is not None:
            awaited: ast.expr = ast.copy_location(ast.Await(run), node)
            if self._top:
                name = ast.Name(RETURNED, ast.Store())
                awaited = ast.copy_location(ast.NamedExpr(name, awaited), node)
            return awaited
        if isinstance(node.func, ast.Name) and node.func.id in self._changed:
            return ast.copy_location(ast.Await(node), node)
        return node


def _made_async(node: Any, runs: _Runs, changed: set[str]) -> ast.stmt:
    inside = _Awaiting(runs, changed, top=False)
    fields = {name: getattr(node, name) for name in node._fields}
    fields["body"] = [inside.visit(statement) for statement in node.body]
    return ast.copy_location(ast.AsyncFunctionDef(**fields), node)


def _named(node: ast.stmt, names: set[str]) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name in names


def _plain(node: ast.FunctionDef) -> bool:
    """Whether a function stays what it is when it becomes async."""
    yields = any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in _scope(node))
    return not node.decorator_list and not yields


def _awaits(node: ast.FunctionDef, runs: _Runs, changed: set[str]) -> bool:
    return any(
        runs.argument(inner) is not None
        or (
            isinstance(inner, ast.Call)
            and isinstance(inner.func, ast.Name)
            and inner.func.id in changed
        )
        for inner in _scope(node)
    )


def _scope(node: ast.AST) -> list[ast.AST]:
    """The nodes of a function's own scope."""
    found: list[ast.AST] = []
    waiting = list(ast.iter_child_nodes(node))
    while waiting:
        inner = waiting.pop()
        if not isinstance(inner, _SCOPES):
            found.append(inner)
            waiting.extend(ast.iter_child_nodes(inner))
    return found
