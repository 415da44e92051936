"""All cases of all modules."""

from tests.attacks.costs import Case, engines, terminal

CASES: tuple[Case, ...] = (*engines.CASES, *terminal.CASES)
