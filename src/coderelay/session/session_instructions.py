"""Writes the instructions for the model: its one tool, how code calls others, and the limits."""

from coderelay.core import Tool
from coderelay.core.limits import MB
from coderelay.declare.tool_index import DECLARATION_TOKENS, index, tokens
from coderelay.engines.python.live.interpreter import LiveLimits
from coderelay.languages.python import PYTHON
from coderelay.session.sdk_module import Sdk

_FUEL_PER_SECOND = 6_000_000_000

_SESSION = """\
`{tool}` runs Python (CPython 3.14) in a live session, like a notebook: variables, functions, \
imports and files stay from call to call. You are shown what the code prints and the value of its \
last expression."""

_TOOLS = """\
Your tools are functions of the module `sdk`. Each call is really carried out. Do as much as you \
can in one go: loop, filter, join, follow up.

```py
import sdk
answer = sdk.{example}
```

- Functions are synchronous and take keyword arguments. They return plain data (dict, list, str, \
int, float, bool, None): `row["title"]`. A default of `...` means: leave the argument out unless \
you need it.
- Independent calls run at once with `later` and `gather`: `a, b = sdk.gather(sdk.{name}.later(…), \
sdk.{name}.later(…))`; a list of them will do too. `return_errors=True` gives errors in place of \
answers.
- A tool that fails raises `sdk.ToolError`; arguments that do not fit raise `sdk.ArgumentsError`, \
which says what to change.
- Look tools up as code: `sdk.search("words")`, `help(sdk.{name})`, `dir(sdk)`. The file `sdk.py` \
holds all declarations."""

_READING = """\
- Keep big answers in variables or files and print little: counts, keys, a few rows, the fields \
you need. Of one call you read at most {output:,} characters; beyond that the middle is left out, \
and the whole is kept in a file.
- The working directory is yours ({files}): `open("notes.json", "w")`. There is no other file, no \
network, no process, no thread, and no package beside the standard library.
- One call of `{tool}` may compute for some {seconds} seconds (waiting for tools does not count), \
use {memory} of memory and make {calls:,} tool calls. What goes on longer is stopped. If you are \
told that the session was restarted, variables are gone and files remain."""

_ALL = "The functions of `sdk`:"
_MANY = "The functions of `sdk`, by name. Use `help` or `sdk.search` for how to call them:"


def instructions(
    sdk: Sdk, *, tool: str, limits: LiveLimits, output: int, budget: int = DECLARATION_TOKENS
) -> str:
    """Return the text for the system prompt.

    `output` is how many characters the model gets from one call. `budget` is in tokens: if the
    declarations of all tools need more, the text has an index of the tools instead.
    """
    parts = [_SESSION.format(tool=tool)]
    if sdk.tools:
        first, name = sdk.tools[0], sdk.names[0].identifiers[0]
        parts.append(_TOOLS.format(example=PYTHON.tools.call(first, name), name=name))
    reading = _READING.format(
        tool=tool,
        output=output,
        files=_size(limits.files),
        memory=_size(limits.memory),
        seconds=max(1, min(round(limits.fuel / _FUEL_PER_SECOND), round(limits.seconds))),
        calls=limits.calls,
    )
    parts[-1] = f"{parts[-1]}\n{reading}" if sdk.tools else f"{parts[-1]}\n\n{reading}"
    if sdk.tools:
        parts.append(_declared(sdk, budget))
    return "\n\n".join(parts)


def code_tool(name: str) -> Tool:
    """Return the declaration of the one tool that the model gets."""
    return Tool(
        name,
        "Run Python code in a live session, and get what it prints and the value of its last "
        "expression. Variables and files stay. The other tools are functions of the module `sdk`.",
        {
            "type": "object",
            "properties": {"code": {"type": "string", "description": "The Python code to run."}},
            "required": ["code"],
            "additionalProperties": False,
        },
    )


def _declared(sdk: Sdk, budget: int) -> str:
    if tokens(sdk.declarations) <= budget:
        return f"{_ALL}\n\n```py\n{sdk.declarations}\n```"
    return f"{_MANY}\n\n{index(sdk.tools, sdk.names, budget)}"


def _size(count: int) -> str:
    return f"{count // MB:,} MB" if count >= MB else f"{count:,} bytes"
