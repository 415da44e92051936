"""The forms a program may have, and the code that runs it and leaves its value.

Programs are compiled in an instance of their own kind, which never runs one; those that run them
get code. So a program is compiled once however often it is run again, at no cost to its fuel.

A syntax tree makes compiling three times as dear. So the text is cut before its last statement and
both parts are compiled as they stand; only programs that this does not fit go through a tree.
"""

import ast
import marshal
import opcode
import re
from types import CodeType, FunctionType
from typing import Any

from relay.pristine import __builtins__  # noqa: F401
from relay.rewrite import RUNS, rewritten

FILE = "program.py"
CELL = "<cell "
"""How the names of a session's cells begin."""
_AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_GOES_ON = re.compile(r"(else|elif|except|finally)\b").match
_COMPOUND = re.compile(r"(async|class|def|for|from|if|import|try|while|with|@)\b").match
_GUARD = re.compile(r"if\s+\(?\s*__name__").match
_MAIN = re.compile(r"main(?<!\wmain)\b").findall  # a first letter is found far faster than a \b
_runs = re.compile(RUNS).search
_CO_COROUTINE = 0x80
_LOAD_NAME, _EXTENDED_ARG = opcode.opmap["LOAD_NAME"], opcode.opmap["EXTENDED_ARG"]


def pack(source: str) -> str:
    """Compile a program to text. Its first letter says whether its `main` is for us to call."""
    parts = compiled(source)
    mentions = len(_MAIN(source))
    read = mentions > 1 and (any(_reads_main(part) for part in parts) or _mentioned(source))
    call_main = bool(mentions) and not read
    return ("m" if call_main else "-") + marshal.dumps(parts).decode("latin-1")


def unpack(code: str) -> tuple[tuple[CodeType, ...], bool]:
    """The parts of a program, to be run in turn, and whether to call its `main` then.

    The value of the last part is the program's.
    """
    return marshal.loads(code[1:].encode("latin-1")), code[0] == "m"


def compiled(source: str, file: str = FILE, *, awaited: bool = True) -> tuple[CodeType, ...]:
    """The parts of a program, to be run in turn. With `awaited`, an `asyncio.run` is an `await`."""
    rewriting = awaited and bool(_runs(source))
    if not rewriting:
        cut = _last_statement(source)
        tail = "\n" * source.count("\n", 0, cut) + source[cut:]
        try:
            return _part(source[:cut], "exec", file), *_tail(tail, source[cut : cut + 40], file)
        except SyntaxError:
            pass  # cut in the wrong place, or no program at all: the tree tells
    return _from_tree(source, file, rewriting=rewriting)


def is_async(code: CodeType) -> bool:
    """Whether running this part gives a coroutine."""
    return bool(code.co_flags & _CO_COROUTINE)


def own_main(names: dict[str, Any]) -> FunctionType | None:
    """The program's own `main`."""
    main = names.get("main")
    own = type(main) is FunctionType and main.__code__.co_filename == FILE
    return main if own else None


def needed(main: FunctionType) -> list[str]:
    """The arguments that a function cannot be called without."""
    code, defaults = main.__code__, len(main.__defaults__ or ())
    names, count = code.co_varnames, code.co_argcount
    keywords = names[count : count + code.co_kwonlyargcount]
    required = [name for name in keywords if name not in (main.__kwdefaults__ or ())]
    return [*names[: count - defaults], *required]


def _part(text: str, mode: str, file: str) -> CodeType:
    return compile(text, file, mode, flags=_AWAIT, dont_inherit=True)  # type: ignore[no-any-return]


def _tail(text: str, start: str, file: str) -> tuple[CodeType, ...]:
    if _GUARD(start):
        return _from_tree(text, file)
    if _COMPOUND(start) and ";" not in text:
        return (_part(text, "exec", file),)
    try:
        return (_part(text, "eval", file),)
    except SyntaxError:
        return _from_tree(text, file) if ";" in text else (_part(text, "exec", file),)


def _last_statement(source: str) -> int:
    """Where the last line starts that can be the first of a statement."""
    end = len(source)
    while end > 0:
        start = source.rfind("\n", 0, end) + 1
        first = source[start : start + 1]
        if first and first not in " \t\r\n\f#)]}" and not _GOES_ON(source, start):
            return start
        end = start - 1
    return 0


def _from_tree(source: str, file: str, *, rewriting: bool = False) -> tuple[CodeType, ...]:
    tree = ast.parse(source, file)
    if rewriting:
        tree = rewritten(tree)
    body = _opened(tree.body)
    if body and isinstance(body[-1], ast.Expr):
        head = ast.Module(body[:-1], tree.type_ignores)
        last = ast.Expression(body[-1].value)
        return _tree_part(head, "exec", file), _tree_part(last, "eval", file)
    return (_tree_part(ast.Module(body, tree.type_ignores), "exec", file),)


def _tree_part(tree: ast.Module | ast.Expression, mode: str, file: str) -> CodeType:
    code: CodeType = compile(tree, file, mode, flags=_AWAIT, dont_inherit=True)
    return code


def _opened(body: list[ast.stmt]) -> list[ast.stmt]:
    """With a last `if __name__ == "__main__":` replaced by what is in it."""
    match body[-1:]:
        case [ast.If(ast.Compare(ast.Name("__name__"), [ast.Eq()]), inner, [])]:
            return body[:-1] + inner
    return body


def _reads_main(code: CodeType) -> bool:
    """Whether a part itself reads `main`, as most do that call it: no tree is needed to see it."""
    names, instructions = code.co_names, code.co_code
    place = names.index("main") if "main" in names else 256
    if place > 255:
        return False
    at = instructions.find(bytes((_LOAD_NAME, place)))
    return at >= 0 and at % 2 == 0 and instructions[max(0, at - 2)] != _EXTENDED_ARG


def _mentioned(source: str) -> bool:
    """Whether anything but `main` itself reads the name."""
    for node in ast.parse(source, FILE).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == "main":
            continue
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and inner.id == "main":
                return True
    return False
