"""All cases of all modules."""

from tests.attacks.costs import Case, engines, gateway, jsontext, terminal

CASES: tuple[Case, ...] = (*engines.CASES, *gateway.CASES, *jsontext.CASES, *terminal.CASES)
