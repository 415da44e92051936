"""The worst case of every place that looks at text from outside, as data.

The table "What a text from outside costs" in docs/security.md has one row for each place. To add
a place:

1. write a row there;
2. add one `Case` or more to the `CASES` of the module here that fits, or of a new one.

`tests/attacks/test_costs.py` measures each case and compares the two tables.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Case:
    """A place and the text that costs it most.

    `make` builds the input of a size, and `read` is the work that is measured. The size is the
    place's bound, or the largest size that is still quick to test. Where `read` changes what it is
    given, or stores what it made of it, `make` must build something fresh: set `fresh`, and `make`
    is called, unmeasured, before each measured call.
    """

    place: str
    """The place's full name without `coderelay.`, as in the row of the documentation."""
    text: str
    """What the input is, in a few words: the test's name."""
    size: int
    make: Callable[[int], Any]
    read: Callable[[Any], object]
    fresh: bool = False

    @property
    def name(self) -> str:
        """The case as a test shows it."""
        return f"{self.place}: {self.text}"
