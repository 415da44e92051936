"""What a program's source, its errors and its logs cost the host."""

from coderelay.engines.frame import code_frame
from coderelay.engines.reach import words
from tests.attacks.costs import Case

SOURCE = 48 * 1024

CASES = (
    Case(
        "engines.frame.code_frame",
        "one line of tabs",
        SOURCE,
        lambda size: "\t" * size,
        lambda source: code_frame(source, 1, len(source)),
    ),
    Case(
        "engines.frame.code_frame",
        "empty lines, the last one shown",
        SOURCE,
        lambda size: "\n" * (size - 1),
        lambda source: code_frame(source, len(source) + 1, 1),
    ),
    Case(
        "engines.reach.words",
        "words of one letter",
        SOURCE,
        lambda size: "é " * (size // 2),
        words,
    ),
)
