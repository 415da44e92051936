"""Tools are loaded from files, and a file that cannot be used gives an error that says why and
where."""

from pathlib import Path

import pytest

from coderelay.client import ToolsFileError, load_functions, load_tools


def write(folder: Path, text: str, name: str = "tools.py") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_every_public_function_of_the_module_is_a_tool(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "from json import dumps\n"
        "from dataclasses import dataclass\n"
        "@dataclass\nclass Point:\n    x: int\n"
        "def second(point: Point) -> Point: return point\n"
        "async def first() -> None: ...\n"
        "again = second\n"
        "def _helper() -> None: ...\n"
        "constant = 3\n",
    )
    assert [tool.declaration.name for tool in load_functions(path)] == ["second", "first"]


def test_where_some_are_marked_only_those_are_tools(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "from coderelay.client import tool\n"
        "@tool\ndef marked() -> None: ...\n"
        "alias = marked\n"
        "def unmarked(*args: int) -> None: ...\n",
    )
    assert [tool.declaration.name for tool in load_functions(path)] == ["marked"]


def test_a_tools_file_can_import_its_neighbours(tmp_path: Path) -> None:
    write(tmp_path, "ANSWER = 42\n", "neighbour_of_tools.py")
    path = write(
        tmp_path, "from neighbour_of_tools import ANSWER\ndef ask() -> int: return ANSWER\n"
    )
    assert load_functions(path)[0]() == 42


def test_two_files_of_the_same_name_are_two_modules(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write(tmp_path / name, f"def {name}() -> None: ...\n")
    found = [load_functions(tmp_path / name / "tools.py")[0] for name in ("one", "two")]
    assert [tool.declaration.name for tool in found] == ["one", "two"]


def test_declarations_come_from_json_too(tmp_path: Path) -> None:
    path = write(tmp_path, '[{"name": "f", "input_schema": {"type": "object"}}]', "tools.json")
    assert [tool.name for tool in load_tools(path)] == ["f"]


def test_declarations_come_from_functions_too(tmp_path: Path) -> None:
    assert load_tools(write(tmp_path, "def f() -> None: ...\n"))[0].name == "f"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\n", "has no tools: define a public function in it, or mark some with @tool"),
        ("x = 1\ndef f(:\n", "line 2: "),
        ("\n\nimport no_such_module\n", "line 3: ModuleNotFoundError: No module named"),
        ("def f():\n    raise KeyError('k')\n\nf()\n", "line 2: KeyError: 'k'"),
        ("import sys\nsys.exit(1)\n", "line 2: SystemExit: 1"),
        ("def f(*args: int) -> None: ...\n", "the tool 'f' takes *args: int"),
        (
            "from coderelay.client import tool\n\n@tool\ndef f(*args: int) -> None: ...\n",
            "line 3: the tool 'f' takes *args: int",
        ),
    ],
)
def test_a_file_without_usable_tools_says_why(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ToolsFileError) as raised:
        load_functions(write(tmp_path, text))
    assert message in str(raised.value)
    assert str(tmp_path / "tools.py") in str(raised.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    for name in ("tools.py", "tools.json"):
        with pytest.raises(ToolsFileError, match=f"{name}: there is no such file"):
            load_tools(tmp_path / name)


def test_invalid_json_is_reported_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(ToolsFileError, match=r"tools\.json: line 1, column 2"):
        load_tools(write(tmp_path, "[", "tools.json"))


def test_declarations_alone_cannot_be_called(tmp_path: Path) -> None:
    with pytest.raises(ToolsFileError, match="holds no functions"):
        load_functions(write(tmp_path, "[]", "tools.json"))
