"""The documentation as data: its blocks, tables and links.

`python -m tests.house.documents` writes the command line's help into the pages that show it.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from typer.testing import CliRunner

from coderelay.cli.commands import app

ROOT = Path(__file__).parents[2]
WIDTH = "100"
ENVIRONMENT = {"COLUMNS": WIDTH, "TERM": "dumb", "NO_COLOR": "1"}
PAGES = tuple(
    sorted(
        path
        for pattern in ("*.md", "docs/**/*.md", "examples/*.md", "bench/*.md")
        for path in ROOT.glob(pattern)
    )
)

_BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_CELL = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block: its language, the file it is for, if any, and its first line."""

    language: str
    file: str | None
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Command:
    """One command of a console block, with the output that the page shows."""

    text: str
    output: str
    line: int


def name(page: Path) -> str:
    """A page as a test shows it."""
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text("utf-8")
    return [
        Block(found[1], found[2], found[3], text.count("\n", 0, found.start(3)) + 1)
        for found in _BLOCK.finditer(text)
    ]


def commands(block: Block) -> list[Command]:
    """The commands of a console block."""
    found: list[Command] = []
    for number, line in enumerate(block.text.splitlines(), block.line):
        if line.startswith("$ "):
            found.append(Command(line[2:], "", number))
        elif found:
            last = found[-1]
            found[-1] = Command(last.text, f"{last.output}{line}\n", last.line)
    return found


def table(page: Path, *header: str) -> list[list[str]]:
    """The cells of the table with this header; code in a cell is taken out of its backquotes."""
    lines = page.read_text("utf-8").splitlines()
    wanted = "| " + " | ".join(header) + " |"
    start = lines.index(wanted) + 2
    rows = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in _CELL.split(line)[1:-1]])
    return rows


def code(cell: str) -> str:
    """What stands between a cell's first and last backquote."""
    return cell[cell.index("`") + 1 : cell.rindex("`")].replace("\\|", "|")


def links(page: Path) -> Iterator[str]:
    """The targets of all links and pictures outside of blocks."""
    text = _BLOCK.sub("", page.read_text("utf-8"))
    text = re.sub(r"`[^`\n]*`(?!\])", "", text)
    yield from _LINK.findall(text)


def anchors(page: Path) -> set[str]:
    """The names of a page's headings, as they are linked to."""
    headings = _HEADING.findall(_BLOCK.sub("", page.read_text("utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def matches(shown: str, printed: str) -> bool:
    """Whether output is as shown: `…` stands for the rest of a line, alone for any lines."""
    pattern = ""
    for line in _lines(shown):
        if line == "…":
            pattern += r"(?:.*\n)*?"
        elif line.endswith("…"):
            pattern += re.escape(line.removesuffix("…")) + r".*\n"
        else:
            pattern += re.escape(line) + r"\n"
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in _lines(printed))) is not None


def plain(printed: str) -> str:
    """Output without colours, and without white space at the ends of lines."""
    return "\n".join(line.rstrip() for line in _COLOUR.sub("", printed).splitlines())


def _lines(text: str) -> list[str]:
    return plain(text).strip("\n").split("\n")


def help_text(command: str) -> str:
    """What a command that ends in `--help` prints."""
    printed = CliRunner().invoke(app, command.split()[1:], env=ENVIRONMENT).output
    return plain(printed).strip("\n") + "\n"


def write_help() -> None:
    """Put the help into every console block that asks for nothing else."""
    for page in PAGES:
        text = page.read_text("utf-8")
        pattern = re.compile(r"^```console\n(\$ (coderelay[\w ]* --help)\n).*?^```$", re.M | re.S)
        page.write_text(
            pattern.sub(lambda f: f"```console\n{f[1]}{help_text(f[2])}```", text), "utf-8"
        )


def as_json(cell: str) -> object:
    """A cell's code as JSON."""
    return json.loads(code(cell))


if __name__ == "__main__":
    write_help()
