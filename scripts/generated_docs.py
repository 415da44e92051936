"""The parts of the documentation that are made from the declarations of settings: `make docs`."""

import re
from pathlib import Path

from coderelay.server.declared_settings import declared
from coderelay.server.settings import Settings
from coderelay.server.settings_text import documentation, example_file

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "server.md"
EXAMPLE = DOCS / "coderelay.toml"
_BLOCK = re.compile(r"(<!-- settings: .*? -->\n).*?(<!-- /settings -->)", re.DOTALL)


def generated() -> dict[Path, str]:
    """The text that each file should have."""
    settings = declared(Settings)
    tables = documentation(settings)
    page = _BLOCK.sub(lambda found: f"{found[1]}{tables}{found[2]}", PAGE.read_text("utf-8"))
    return {PAGE: page, EXAMPLE: example_file(settings)}


def main() -> None:
    """Write them."""
    for path, text in generated().items():
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
