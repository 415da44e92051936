"""The table in the docs: what passed, in the last run of each client."""

from pathlib import Path

from clients.catalogue import CLIENTS, Client, Guide
from clients.suite import FORMS, Results
from clients.trial import Trial

PAGE = Path(__file__).parents[1] / "docs" / "clients" / "README.md"
ABOUT = ("client", "from", "version", "API", "shapes")
HEADER = (*ABOUT, *FORMS, "kills survived")
_REGISTRIES = {"python": "PyPI", "node": "npm"}
_NOT_RUN = ("–", "–", "–")


def about(client: Client, guide: Guide) -> tuple[str, ...]:
    """What a row says before anything is run."""
    pins = client.pins()
    version = pins[guide.package]
    return (
        f"[`{guide.package}`]({client.name}.md)",
        _REGISTRIES[client.runtime],
        f"{version}, `{client.loop}` {pins[client.loop]}" if client.loop else version,
        f"{guide.api}, {guide.how}" if guide.how else guide.api,
        f"`{guide.shapes}`" if guide.shapes else "plain",
    )


def write(results: Results, page: Path = PAGE) -> None:
    """Put the results into the page; rows of clients that did not run stay as they are."""
    lines = page.read_text("utf-8").splitlines()
    start = lines.index(line(HEADER)) + 2
    end = next(place for place, line in enumerate(lines[start:], start) if not line.startswith("|"))
    old = {tuple(cells[: len(ABOUT)]): cells for cells in map(_cells, lines[start:end])}
    rows = []
    for client in CLIENTS:
        for guide in client.guides:
            ran = {trial: wrong for trial, wrong in results.items() if _is(trial, client, guide)}
            row = about(client, guide)
            rows.append(line((*row, *passed(ran)) if ran else old.get(row, (*row, *_NOT_RUN))))
    page.write_text("\n".join([*lines[:start], *rows, *lines[end:]]) + "\n", "utf-8")


def passed(ran: Results) -> tuple[str, ...]:
    """The cells that tell how a guide did: a form passes if it did so in every language."""
    cells = []
    for form in FORMS:
        wrong = [trial.language for trial, failed in ran.items() if trial.form == form and failed]
        cells.append(f"no ({', '.join(wrong)})" if wrong else "✓")
    survived = sum(not failed for failed in ran.values())
    return (*cells, f"{survived} of {len(ran)}")


def _is(trial: Trial, client: Client, guide: Guide) -> bool:
    return trial.client is client and trial.guide is guide


def line(cells: tuple[str, ...]) -> str:
    """A row as it is written."""
    return f"| {' | '.join(cells)} |"


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in line.strip("|").split("|"))
