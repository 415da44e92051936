"""A schema may have a certain size, so that examining and compiling it takes bounded time."""

from collections.abc import Iterable, Iterator

from coderelay.core import Json
from coderelay.schemas.validation.regex_size import measure as measure_pattern

MAX_REFERRED = 200_000
"""How many values all references may point to, those that are in several counted for each. The
library compiles them for each reference."""
MAX_NODES = 50_000
"""How many values a schema may have, counting itself and the names of properties."""
MAX_CHARS = 2_000_000
MAX_PATTERN_CHARS, MAX_PATTERNS = 50_000, 1_000_000
"""How many characters all patterns of a schema may have together, and how large they may become
when compiled, which takes about half a second then."""


class SchemaTooLarge(ValueError):
    """A schema is too large; the message says which limit it exceeds."""


def check_size(schema: Json) -> None:
    """Raise `SchemaTooLarge` for a schema that is too large to be examined further."""
    nodes = chars = written = patterns = 0
    waiting = [schema]
    while waiting:
        here = waiting.pop()
        nodes += 1
        if isinstance(here, str):
            chars += len(here)
        elif isinstance(here, list):
            waiting.extend(here)
        elif isinstance(here, dict):
            waiting.extend(here.values())
            waiting.extend(here)
        if nodes + len(waiting) > MAX_NODES or chars > MAX_CHARS:
            raise SchemaTooLarge(
                f"it has more than {MAX_NODES} values or {MAX_CHARS} characters: simplify it"
            )
        for pattern in own_patterns(here) if isinstance(here, dict) else ():
            written += len(pattern)
            if written > MAX_PATTERN_CHARS:
                raise SchemaTooLarge(
                    f"its patterns have more than {MAX_PATTERN_CHARS} characters: shorten them"
                )
            patterns += measure_pattern(pattern).compiled
            if patterns > MAX_PATTERNS:
                raise SchemaTooLarge(
                    "its patterns are too large to compile: use smaller counts in {}"
                )


def check_referred(targets: Iterable[Json]) -> None:
    """Raise `SchemaTooLarge` where what references point to is too large to be compiled for each
    of them: parts that are in each other count as often as they are referred to."""
    size = 0
    for target in targets:
        waiting = [target]
        while waiting:
            here = waiting.pop()
            size += 1
            if isinstance(here, (list, dict)):
                waiting.extend(here.values() if isinstance(here, dict) else here)
            if size + len(waiting) > MAX_REFERRED:
                raise SchemaTooLarge(
                    f"its references point to more than {MAX_REFERRED} values, those in each other "
                    "counted again: refer to smaller parts"
                )


def own_patterns(schema: Json) -> Iterator[str]:
    """The patterns that a schema has itself."""
    if isinstance(schema, dict):
        if isinstance(schema.get("pattern"), str):
            yield schema["pattern"]
        keyed = schema.get("patternProperties")
        if isinstance(keyed, dict):
            yield from keyed
