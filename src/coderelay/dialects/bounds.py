"""How long a history may be, in any dialect."""

from collections.abc import Sequence

from coderelay.conversation import TooLarge
from coderelay.core import Json

MOST_MESSAGES = 10_000
"""Messages or items that a history may have."""


def check_length(items: Sequence[Json], field: str, *, most: int = MOST_MESSAGES) -> None:
    """Raise `TooLarge` where a history, which stands in that field, is too long."""
    if len(items) > most:
        raise TooLarge(
            f"`{field}` has {len(items):,} entries, the limit is {most:,}: send a shorter history",
            field,
        )
