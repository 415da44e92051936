"""The texts that enter a guest: the same bytes whenever the same step is taken."""

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
"""Words by which a program can come to names that its source does not show."""
_RANDOM = frozenset("email random secrets statistics tempfile".split())
"""Words by which a program can come to the module `random`."""


def unfenced(source: str) -> str:
    """A program without the Markdown fence around it, its lines where they were."""
    found = whole_block(source)
    if found is None or found.tag not in _TAGS:
        return source
    return "\n" * source.count("\n", 0, found.start) + found.lines


def setup(program: Program, names: Sequence[ToolName], limits: Limits) -> str:
    """What the harness must know beside the code.

    Only tools that the source can reach are bound, and `random` is seeded only where something
    can ask it: both cost time, and there may be hundreds of tools.
    """
    known = possible_names(normalize("NFKC", program.source))  # as Python does
    everything = not known.isdisjoint(_REACHING)
    bound = names if everything else named_tools(names, known)
    tools = [[tool.name, tool.identifiers, tool.parameters] for tool in bound]
    random = everything or not known.isdisjoint(_RANDOM)
    seed = program.seed.hex() if random else None
    return json.dumps([tools, seed, limits.value, limits.arguments, limits.logs])


def results(indices: Sequence[int], given: Sequence[Result], payloads: Sequence[str]) -> str:
    """A batch of results, in call order."""
    entries = []
    for index, result, payload in zip(indices, given, payloads, strict=True):
        if isinstance(result, Raised):
            error = result.error
            payload = json.dumps([error.kind, error.name, error.message])
            entries.append(f"[{index},1,{payload}]")
        else:
            entries.append(f"[{index},0,{payload}]")
    return without_surrogates(f"[{','.join(entries)}]")
