"""What the documentation says is so: its examples run, its tables are true, its links lead on."""

import os
import re
import shlex
import tomllib
from dataclasses import fields, replace
from pathlib import Path

import pytest
from starlette.routing import Route
from typer.testing import CliRunner

import coderelay
from coderelay import Completed, Entry, Failed, Limits, Outcome, Program, Returned, Tool, evaluate
from coderelay.cli.commands import app
from coderelay.core import DEFAULT_LIMITS, Json
from coderelay.core.limits import KB, MB
from coderelay.declare import names
from coderelay.server import Settings
from coderelay.server.app import create_app
from tests.house import documents
from tests.house.documents import ENVIRONMENT, PAGES, ROOT, Block

README = ROOT / "README.md"
TYPESCRIPT = ROOT / "docs" / "typescript.md"
QUICK = replace(DEFAULT_LIMITS, fuel=4_000_000_000)
ALLOCATE = {
    "typescript": "return new Uint8Array({}).length;",
    "python": "len(bytearray({}))",
}
QUERY = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}


def having(language: str) -> list[Path]:
    """The pages with a block of a language that is to be run."""
    return [
        page
        for page in PAGES
        if any(block.language == language and not block.file for block in documents.blocks(page))
    ]


def typescript(source: str, *tools: Tool, journal: tuple[Entry, ...] = ()) -> Completed | Failed:
    outcome = evaluate(Program("typescript", source), tools, journal, limits=QUICK)
    assert isinstance(outcome, Completed | Failed), outcome
    return outcome


@pytest.mark.parametrize("page", having("python"), ids=documents.name)
def test_the_python_examples_of_a_page_run(page: Path) -> None:
    namespace: dict[str, object] = {"__name__": "example"}
    for block in documents.blocks(page):
        if block.language == "python" and not block.file:
            source = "\n" * (block.line - 1) + block.text
            exec(compile(source, str(page), "exec", dont_inherit=True), namespace)


@pytest.mark.parametrize("page", having("console"), ids=documents.name)
def test_the_commands_of_a_page_print_what_it_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for variable, value in ENVIRONMENT.items():
        monkeypatch.setenv(variable, value)
    for block in documents.blocks(page):
        if block.file and not block.file.startswith("globals"):
            Path(block.file).write_text(block.text, "utf-8")
        elif block.language == "console":
            run_console(block)


def run_console(block: Block) -> None:
    code = 0
    commands = documents.commands(block)
    assert commands, f"line {block.line}: no command"
    for command, following in zip(commands, [*commands[1:], None], strict=True):
        if command.text == "echo $?":
            assert command.output.strip() == str(code), f"line {command.line}"
            continue
        program, *arguments = shlex.split(command.text)
        assert program == "coderelay", f"line {command.line}: only coderelay can be run here"
        done = CliRunner().invoke(app, arguments)
        code = done.exit_code
        assert documents.matches(command.output, done.output), (
            f"line {command.line}: {command.text} printed\n{documents.plain(done.output)}"
        )
        if following is None or following.text != "echo $?":
            assert code == 0, f"line {command.line}: exit code {code} is not shown"


@pytest.mark.parametrize("page", PAGES, ids=documents.name)
def test_every_link_and_picture_of_a_page_is_there(page: Path) -> None:
    for target in documents.links(page):
        if re.match(r"https?://", target):
            continue
        path, _, anchor = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        assert found.exists(), f"{target} leads nowhere"
        assert found.is_relative_to(ROOT), f"{target} leads out of the project"
        if anchor:
            assert anchor in documents.anchors(found), f"{target} leads to no heading"


@pytest.mark.parametrize("page", PAGES, ids=documents.name)
def test_every_test_that_a_page_names_is_there(page: Path) -> None:
    for path, test in re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", page.read_text("utf-8")):
        assert f"def {test}(" in (ROOT / path).read_text("utf-8"), f"{path} has no {test}"


@pytest.mark.parametrize("page", PAGES, ids=documents.name)
def test_every_module_that_a_page_names_is_there(page: Path) -> None:
    for path in re.findall(r"`((?:[\w.]+/)+\w+\.py)`", page.read_text("utf-8")):
        places = (ROOT, ROOT / "src" / "coderelay", page.parent)
        assert any((place / path).is_file() for place in places), f"there is no {path}"


def test_every_page_and_picture_can_be_reached_from_another() -> None:
    linked = {
        Path(os.path.normpath(page.parent / target.partition("#")[0]))
        for page in PAGES
        for target in documents.links(page)
    }
    for path in [*ROOT.glob("docs/**/*.md"), *ROOT.glob("docs/pictures/*")]:
        assert path in linked, f"nothing links to {documents.name(path)}"


@pytest.mark.parametrize("page", ["server.md", "wire.md"])
def test_the_table_of_paths_has_every_path_of_the_server(page: str) -> None:
    table = documents.table(ROOT / "docs" / page, "path", {"server.md": "what"}.get(page, "API"))
    routes = create_app(Settings("scripted")).routes
    assert {path for row in table for path in re.findall(r"`(?:[A-Z]+ )?(/[^`]+)`", row[0])} == {
        route.path for route in routes if isinstance(route, Route)
    }


def test_every_page_names_the_wheel_of_this_version() -> None:
    text = "".join(page.read_text("utf-8") for page in PAGES)
    assert set(re.findall(r"coderelay-([\d.]+)-py3", text)) == {coderelay.__version__}


def test_the_picture_of_the_layers_shows_the_import_contract() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contract = project["tool"]["importlinter"]["contracts"][0]["layers"]
    layers = [name for layer in contract for name in re.findall(r"coderelay\.(\w+)", layer)]
    picture = (ROOT / "docs" / "pictures" / "layers.svg").read_text("utf-8")
    assert re.findall(r'<text class="name[^>]*>(\w+)<', picture) == layers


def test_the_index_of_decisions_has_every_page_under_its_title() -> None:
    index = ROOT / "docs" / "design" / "README.md"
    listed = dict(re.findall(r"^\| \[(.+)\]\(([\w-]+\.md)\) \|", index.read_text("utf-8"), re.M))
    titles = {
        page.read_text("utf-8").splitlines()[0].removeprefix("# "): page.name
        for page in index.parent.glob("*.md")
        if page != index
    }
    assert listed == titles


def test_every_picture_says_in_words_what_it_shows() -> None:
    for path in ROOT.glob("docs/pictures/*.svg"):
        text = path.read_text("utf-8")
        assert "<title" in text, path.name
        assert "<desc" in text, path.name


@pytest.mark.parametrize("row", documents.table(README, "limit", "default", "of what"))
def test_the_readme_has_the_real_limits(row: list[str]) -> None:
    value = getattr(DEFAULT_LIMITS, documents.code(row[0]))
    if value is not None:
        number, _, unit = row[1].replace(",", "").partition(" ")
        assert float(number) * {"": 1, "KB": KB, "MB": MB}[unit] == value


@pytest.mark.parametrize("language", ALLOCATE)
def test_the_readme_has_the_real_limit_of_memory(language: str) -> None:
    (memory,) = re.findall(rf"{language} (\d+) MB", README.read_text("utf-8"), re.IGNORECASE)

    def allocate(part: float) -> Outcome:
        source = ALLOCATE[language].format(int(part * int(memory)) * MB)
        return evaluate(Program(language, source), [], [], limits=QUICK)

    assert isinstance(allocate(0.5), Completed)
    failed = allocate(1.0)
    assert isinstance(failed, Failed)
    assert failed.error.limit == "memory"


def test_the_readme_has_all_limits() -> None:
    rows = documents.table(README, "limit", "default", "of what")
    assert {documents.code(row[0]) for row in rows} == {field.name for field in fields(Limits)}


@pytest.mark.parametrize("row", documents.table(TYPESCRIPT, "form", "example", "value"))
def test_a_program_may_have_this_form(row: list[str]) -> None:
    outcome = typescript(documents.code(row[1]))
    assert isinstance(outcome, Completed)
    assert outcome.value == documents.as_json(row[2])


@pytest.mark.parametrize("row", documents.table(TYPESCRIPT, "in the program", "as JSON"))
def test_a_value_leaves_a_program_in_this_form(row: list[str]) -> None:
    outcome = typescript(f"return {documents.code(row[0])};")
    if row[1].startswith("fails:"):
        assert isinstance(outcome, Failed), outcome
        assert outcome.error.message == documents.code(row[1])
        return
    assert isinstance(outcome, Completed), outcome
    assert exactly(outcome.value) == exactly(documents.as_json(row[1]))


@pytest.mark.parametrize("row", documents.table(TYPESCRIPT, "as JSON", "in the program"))
def test_a_result_comes_into_a_program_in_this_form(row: list[str]) -> None:
    source = f"""
    const show = (x) => typeof x === "object" && x !== null
      ? Object.entries(x).map(([key, item]) => [key, show(item)])
      : `${{typeof x}} ${{x}}`;
    return [show(await give()), show({documents.code(row[1])})];
    """
    entry = Entry("give", {}, Returned(documents.as_json(row[0])))
    outcome = typescript(source, Tool("give"), journal=(entry,))
    assert isinstance(outcome, Completed), outcome
    came, documented = outcome.value
    assert came == documented


@pytest.mark.parametrize(
    "row", documents.table(TYPESCRIPT, "program", "kind", "name", "message begins with")
)
def test_a_program_fails_in_this_way(row: list[str]) -> None:
    outcome = typescript(documents.code(row[0]), Tool("web_search", "", QUERY))
    assert isinstance(outcome, Failed), outcome
    error = outcome.error
    assert (error.kind, error.name) == (documents.code(row[1]), documents.code(row[2]))
    assert error.message.startswith(documents.code(row[3]))


@pytest.mark.parametrize("row", documents.table(TYPESCRIPT, "tool's name", "in a program"))
def test_a_tool_has_these_names_in_a_program(row: list[str]) -> None:
    (found,) = names([Tool(documents.code(row[0]))], "typescript")
    assert list(found.identifiers) == re.findall("`([^`]+)`", row[1])


def test_the_globals_of_a_program_are_those_of_the_page() -> None:
    (listed,) = [block for block in documents.blocks(TYPESCRIPT) if block.file == "globals"]
    outcome = typescript("return Object.getOwnPropertyNames(globalThis);")
    assert isinstance(outcome, Completed)
    assert sorted(outcome.value) == listed.text.split()


def exactly(value: Json) -> str:
    """A value as text that tells 1 from 1.0 and true."""
    return repr(value)
