"""What holds where a request does not say."""

from dataclasses import dataclass

from coderelay.core import DEFAULT_LIMITS, Limits


@dataclass(frozen=True, slots=True)
class Defaults:
    """The server's choices, as far as a dialect needs them."""

    language: str = "typescript"
    max_programs: int = 8
    limits: Limits = DEFAULT_LIMITS
