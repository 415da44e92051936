"""All cases of all modules."""

from tests.attacks.costs import Case, declarations, engines, gateway, jsontext, terminal, typescript

CASES: tuple[Case, ...] = (
    *engines.CASES,
    *declarations.CASES,
    *typescript.CASES,
    *gateway.CASES,
    *jsontext.CASES,
    *terminal.CASES,
)
