"""The guides show the code that the suite of clients runs, and its table tells their pins."""

import re
from pathlib import Path

import pytest

from clients import guides, table
from clients.catalogue import CLIENTS, FOLDER, Client
from clients.suite import FORMS, LANGUAGES
from clients.trial import ADDRESS, Trial
from tests.house import documents


def name(client: Client) -> str:
    return client.name


@pytest.mark.parametrize("page", guides.pages(), ids=documents.name)
def test_a_guide_shows_the_code_that_runs(page: Path) -> None:
    text = page.read_text("utf-8")
    assert text == guides.filled(text), "run python -m clients.guides"
    for file, times in guides.named_files(text).items():
        assert times == len(guides.parts(file)), f"{file} is not shown whole"


@pytest.mark.parametrize("client", CLIENTS, ids=name)
def test_every_guide_of_a_client_is_on_its_page(client: Client) -> None:
    named_files = guides.named_files((guides.PAGES / f"{client.name}.md").read_text("utf-8"))
    files = [path.relative_to(FOLDER).as_posix() for path in client.files()]
    assert sorted(named_files) == files
    assert [guide.file for guide in client.guides] == [Path(file).name for file in named_files]


@pytest.mark.parametrize("client", CLIENTS, ids=name)
def test_a_guide_names_no_address_but_that_of_the_server(client: Client) -> None:
    for path in client.files():
        found = re.findall(r"https?://[^/\"]+", path.read_text("utf-8"))
        assert set(found) <= {ADDRESS}, path


@pytest.mark.parametrize("client", CLIENTS, ids=name)
def test_every_package_of_a_client_is_pinned(client: Client) -> None:
    pins = client.pins()
    for package, version in pins.items():
        assert re.fullmatch(r"[@\w./-]+", package)
        assert re.fullmatch(r"\d[\w.+-]*", version), package
    wanted = {package.partition("[")[0] for package in client.packages.split()}
    assert wanted <= set(pins)


def test_every_folder_of_a_client_is_in_the_catalogue() -> None:
    folders = {path.parent for kind in ("python", "node") for path in FOLDER.glob(f"{kind}/*/*.*")}
    assert {client.folder for client in CLIENTS} == {
        folder for folder in folders if folder.name != "__pycache__"
    }


def test_the_table_tells_every_guide_at_the_pinned_version() -> None:
    rows = documents.table(table.PAGE, *table.HEADER)
    told = [tuple(row[: len(table.ABOUT)]) for row in rows]
    assert told == [table.about(client, guide) for client in CLIENTS for guide in client.guides], (
        "run make test-clients"
    )


def test_a_run_of_one_client_leaves_the_rows_of_the_others(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n\n{table.line(table.HEADER)}\n|---|\n\nafter\n", "utf-8")
    first, second = CLIENTS[0], CLIENTS[-1]
    table.write(results(first), page)
    table.write(results(second, "python"), page)
    rows = documents.table(page, *table.HEADER)
    assert rows[0][len(table.ABOUT) :] == ["✓", "✓", "4 of 4"]
    assert rows[-1][len(table.ABOUT) :] == ["no (python)", "no (python)", "2 of 4"]
    assert rows[len(first.guides)][len(table.ABOUT) :] == ["–", "–", "–"]
    text = page.read_text("utf-8")
    assert text.startswith("before\n\n|")
    assert text.endswith("|\n\nafter\n")


def results(client: Client, *failed: str) -> dict[Trial, list[str]]:
    return {
        Trial(client, guide, form, language): ["wrong"] if language in failed else []
        for guide in client.guides
        for form in FORMS
        for language in LANGUAGES
    }
