"""What it costs to show a text in the terminal."""

from coderelay.cli.printable import printable
from tests.attacks.costs import Case

CASES = (
    Case(
        "cli.printable.printable",
        "control characters only",
        64 * 1024,
        lambda size: "\x1b" * size,
        printable,
    ),
)
