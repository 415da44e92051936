"""What every reader of a history needs: its length is bounded, its call arguments are parsed."""

from collections.abc import Sequence

from coderelay.conversation import TooLarge
from coderelay.core import Json
from coderelay.core.json_values import NotJson
from coderelay.wire import parse

MOST_MESSAGES = 10_000
"""Messages or items that a history may have."""


def check_length(items: Sequence[Json], field: str, *, most: int = MOST_MESSAGES) -> None:
    """Raise `TooLarge` where a history, which stands in that field, is too long."""
    if len(items) > most:
        raise TooLarge(
            f"`{field}` has {len(items):,} entries, the limit is {most:,}: send a shorter history",
            field,
        )


def parse_arguments(text: str) -> Json:
    """A call's arguments, where an API writes them as text. Text that is not JSON stays text:
    the replay then finds that it is not what the program called the tool with."""
    try:
        return parse(text) if text.strip() else {}
    except NotJson:
        return text
