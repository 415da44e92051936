"""What the types of the Python guest are checked against is what the guest is given."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TYPES = {"string": "str", "u32": "int", "u64": "int", None: "None"}
_FUNCTION = re.compile(r"^  (import|export) (\w+): func\((.*?)\)(?: -> (\w+))?;", re.MULTILINE)


def in_the_world() -> dict[tuple[str, str], tuple[list[tuple[str, str]], str]]:
    """The functions of `world.wit`: their parameters with types, and what they return."""
    text = (ROOT / "guests" / "python" / "world.wit").read_text("utf-8")
    found = {}
    for direction, name, parameters, returned in _FUNCTION.findall(text):
        pairs = [pair.split(": ") for pair in parameters.split(", ") if pair]
        taken = [(parameter, TYPES[kind]) for parameter, kind in pairs]
        found[direction, name] = (taken, TYPES[returned or None])
    return found


def in_the_stub() -> dict[tuple[str, str], tuple[list[tuple[str, str]], str]]:
    """The functions of the stub: imports are its functions, exports the methods of its class."""
    text = (ROOT / "guests" / "typings" / "wit_world.pyi").read_text("utf-8")
    body = ast.parse(text).body
    (world,) = (node for node in body if isinstance(node, ast.ClassDef))
    found = {}
    for direction, nodes in (("import", body), ("export", world.body)):
        for node in nodes:
            if isinstance(node, ast.FunctionDef):
                arguments = [each for each in node.args.args if each.arg != "self"]
                taken = [(each.arg, ast.unparse(each.annotation or node)) for each in arguments]
                found[direction, node.name] = (taken, ast.unparse(node.returns or node))
    return found


def test_the_stub_of_the_guests_world_is_that_of_its_wit_file() -> None:
    assert len(in_the_world()) >= 12
    assert in_the_stub() == in_the_world()
