"""What a program's source, its errors and its logs cost the host."""

from coderelay.core import DEFAULT_LIMITS, Program
from coderelay.core.unicode import normalize
from coderelay.engines.bound_names import possible_names
from coderelay.engines.code_frame import code_frame
from coderelay.engines.fence import first_block, whole_block
from coderelay.engines.python.entry import setup
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
        "engines.code_frame.code_frame",
        "one line of tabs",
        SOURCE,
        lambda size: "\t" * size,
        lambda source: code_frame(source, 1, len(source)),
    ),
    Case(
        "engines.code_frame.code_frame",
        "empty lines, the last one shown",
        SOURCE,
        lambda size: "\n" * (size - 1),
        lambda source: code_frame(source, len(source) + 1, 1),
    ),
    Case(
        "engines.bound_names.possible_names",
        "words of one letter",
        SOURCE,
        lambda size: "é " * (size // 2),
        possible_names,
    ),
    Case(
        "engines.bound_names.possible_names",
        "as many different characters as there are",
        SOURCE // 4,
        lambda size: "".join(map(chr, range(0x10000, 0x10000 + size))),
        possible_names,
    ),
    Case(
        "core.unicode.normalize",
        "accents in the wrong order",
        SOURCE,
        lambda size: "a" + "\u0301\u0327" * (size // 2),
        lambda text: normalize("NFKC", text),
    ),
    Case(
        "core.unicode.normalize",
        "one sign that becomes two in the wrong order",
        SOURCE,
        lambda size: "\u0f73" * size,
        lambda text: normalize("NFKD", text),
    ),
    Case(
        "core.unicode.normalize",
        "half-width signs that become accents",
        SOURCE,
        lambda size: "\uff9e\u0301" * (size // 2),
        lambda text: normalize("NFKC", text),
    ),
    Case(
        "core.unicode.normalize",
        "one sign that becomes eighteen letters",
        SOURCE,
        lambda size: "\ufdfa" * size,
        lambda text: normalize("NFKC", text),
    ),
    Case(
        "engines.python.entry.setup",
        "a name of accents",
        SOURCE,
        lambda size: Program("python", "a" + "\u0301\u0327" * (size // 2)),
        lambda program: setup(program, [], DEFAULT_LIMITS),
    ),
)
