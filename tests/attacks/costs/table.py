"""All cases of all modules."""

from tests.attacks.costs import Case, engines, gateway, terminal

CASES: tuple[Case, ...] = (*engines.CASES, *gateway.CASES, *terminal.CASES)
