"""The code in the guides is the code that runs: `python -m clients.guides` copies it there.

A fenced block that names a file of `clients` holds that file, up to the function that streams;
a second block with the same name holds the rest.
"""

import re
from collections import Counter
from pathlib import Path

from clients.catalogue import FOLDER

PAGES = FOLDER.parent / "docs" / "clients"
_BLOCK = re.compile(r"^```(\w+) ((?:python|node)/\S+)\n.*?^```$", re.MULTILINE | re.DOTALL)
_STREAM = re.compile(r"\n+(?=(?:export )?(?:async )?(?:def stream\(|function\* stream\())")


def parts(file: str) -> list[str]:
    """A guide's code: what comes first, and the function that streams, if it has its own."""
    return [f"{part.strip()}\n" for part in _STREAM.split((FOLDER / file).read_text("utf-8"))]


def filled(text: str) -> str:
    """A page with the code of the files that its blocks name."""
    seen: Counter[str] = Counter()

    def block(found: re.Match[str]) -> str:
        file = found[2]
        seen[file] += 1
        return f"```{found[1]} {file}\n{parts(file)[seen[file] - 1]}```"

    return _BLOCK.sub(block, text)


def named_files(text: str) -> Counter[str]:
    """The files that a page's blocks name, and how often."""
    return Counter(found[2] for found in _BLOCK.finditer(text))


def pages() -> list[Path]:
    """The pages with guides."""
    return sorted(PAGES.glob("*.md"))


if __name__ == "__main__":
    for page in pages():
        page.write_text(filled(page.read_text("utf-8")), "utf-8")
