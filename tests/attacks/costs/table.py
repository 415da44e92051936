"""All cases of all modules."""

from tests.attacks.costs import Case, engines, gateway, terminal, typescript

CASES: tuple[Case, ...] = (
    *engines.CASES,
    *typescript.CASES,
    *gateway.CASES,
    *terminal.CASES,
)
