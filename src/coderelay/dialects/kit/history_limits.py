"""Checks the length of a history and parses the arguments of its calls, for every dialect."""

from collections.abc import Sequence

from coderelay.conversation import TooLarge
from coderelay.core import Json
from coderelay.core.json_values import NotJson
from coderelay.wire import parse

MOST_MESSAGES = 10_000
"""How many messages or items a history may have."""


def check_length(items: Sequence[Json], field: str, *, most: int = MOST_MESSAGES) -> None:
    """Raise `TooLarge` if the history in that field of the request is too long."""
    if len(items) > most:
        raise TooLarge(
            f"`{field}` has {len(items):,} entries, the limit is {most:,}: send a shorter history",
            field,
        )


def parse_arguments(text: str) -> Json:
    """Return a call's arguments, which the API has as text. Text that is not JSON is returned as it
    is: the replay will report that the program made another call."""
    try:
        return parse(text) if text.strip() else {}
    except NotJson:
        return text
