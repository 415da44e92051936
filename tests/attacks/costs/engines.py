"""What a program's source, its errors and its logs cost the host."""

from coderelay.engines.fence import first_block, whole_block
from coderelay.engines.frame import code_frame
from coderelay.engines.reach import words
from tests.attacks.costs import Case

SOURCE = 48 * 1024

CASES = (
    Case(
        "engines.fence.whole_block",
        "a mark, then spaces",
        SOURCE,
        lambda size: "```" + " " * (size - 4) + "x",
        whole_block,
    ),
    Case(
        "engines.fence.whole_block",
        "lines that almost close",
        SOURCE,
        lambda size: "```\n" + "\n  ```" * (size // 6) + "x",
        whole_block,
    ),
    Case(
        "engines.fence.whole_block",
        "spaces around a block",
        SOURCE,
        lambda size: " " * (size // 2) + "```\n```" + "\n" * (size // 2),
        whole_block,
    ),
    Case(
        "engines.fence.first_block",
        "marks that open no block",
        SOURCE,
        lambda size: "``` " * (size // 4),
        first_block,
    ),
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
