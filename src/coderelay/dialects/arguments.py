"""A call's arguments, where an API writes them as text."""

from coderelay.core import Json
from coderelay.core.jsonvalue import NotJson
from coderelay.wire import parse


def parsed(arguments: str) -> Json:
    """The arguments as a value; text that is no JSON is left to law 5."""
    try:
        return parse(arguments) if arguments.strip() else {}
    except NotJson:
        return arguments
