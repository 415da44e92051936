"""What a replay needs of a program besides its code, for APIs in whose history the code stands.

    cr1_<program id>_<created>_<digest of the code>

Only letters, digits, `-` and `_`, so it may be an id. It is not signed: the digest tells damage
from intent, see docs/design/no-signature.md.
"""

import re
from dataclasses import dataclass

from coderelay.core import Program
from coderelay.core.jsonvalue import digest
from coderelay.core.program import LATEST

_FORM = re.compile(r"cr1_([A-Za-z0-9-]{1,64})_([0-9]{1,10})_([0-9a-f]{16})")


@dataclass(frozen=True, slots=True)
class Seal:
    """What a seal says."""

    id: str
    created: int
    digest: str

    def fits(self, source: str) -> bool:
        """Whether this is the code that the seal was made for."""
        return digest(source) == self.digest


def seal(program: Program) -> str:
    """The seal of a program whose id is made of letters, digits and `-`, as ours are."""
    return f"cr1_{program.id}_{program.created}_{digest(program.source)}"


def sealed(text: str) -> Seal | None:
    """What a text says, or None where it is none of our seals."""
    match = _FORM.fullmatch(text)
    if match is None or int(match[2]) > LATEST:
        return None
    return Seal(match[1], int(match[2]), match[3])
