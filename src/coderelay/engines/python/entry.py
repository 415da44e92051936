"""Writes the texts that are passed to a Python guest. The same step always gives the same bytes."""

import json
from collections.abc import Sequence

from coderelay.core import Limits, Program, Raised, Result, ToolName
from coderelay.core.unicode import normalize
from coderelay.engines.bound_names import named_tools, possible_names
from coderelay.engines.fence import whole_block
from coderelay.engines.wasm.payload import without_surrogates

_TAGS = frozenset({"", "python", "python3", "py"})
_REACHING = frozenset(
    "__dict__ __globals__ __import__ __main__ eval exec f_globals f_locals globals importlib "
    "locals modules tools vars".split()
)
"""Names by which a program can reach other names that do not occur in its source."""
_RANDOM = frozenset("email random secrets statistics tempfile".split())
"""Names by which a program can reach the module `random`."""


def unfenced(source: str) -> str:
    """Return a program without a Markdown fence around it. Line numbers stay the same."""
    found = whole_block(source)
    if found is None or found.tag not in _TAGS:
        return source
    return "\n" * source.count("\n", 0, found.start) + found.lines


def setup(program: Program, names: Sequence[ToolName], limits: Limits) -> str:
    """Return the settings of a program for the harness, as JSON text.

    Only tools that the program can reach are defined, and `random` is seeded only if the program
    can reach it: both cost time, and there may be hundreds of tools.
    """
    known = possible_names(normalize("NFKC", program.source))  # as Python normalizes names
    everything = not known.isdisjoint(_REACHING)
    bound = names if everything else named_tools(names, known)
    tools = [[tool.name, tool.identifiers, tool.parameters] for tool in bound]
    random = everything or not known.isdisjoint(_RANDOM)
    seed = program.seed.hex() if random else None
    return json.dumps([tools, seed, limits.value, limits.arguments, limits.logs])


def results(indices: Sequence[int], batch: Sequence[Result], payloads: Sequence[str]) -> str:
    """Return a batch of results in call order, as JSON text.

    A payload is the JSON text of a returned value; the one of an error is not used.
    """
    entries = []
    for index, result, payload in zip(indices, batch, payloads, strict=True):
        if isinstance(result, Raised):
            error = result.error
            payload = json.dumps([error.kind, error.name, error.message])
            entries.append(f"[{index},1,{payload}]")
        else:
            entries.append(f"[{index},0,{payload}]")
    return without_surrogates(f"[{','.join(entries)}]")
