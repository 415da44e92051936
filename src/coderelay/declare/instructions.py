"""What a model is told: the one tool it has, and what a program may be made of."""

from dataclasses import dataclass

from coderelay.core import Tool, UnknownLanguage
from coderelay.declare.host_functions import DESCRIBE, SEARCH
from coderelay.declare.tool_names import STYLES

_TYPESCRIPT = """\
`run_typescript` runs one TypeScript program in a sandbox and shows you its result and its log. \
Inside the program, the functions below are tools: each call is really carried out. Do as much \
as you can in one program: loop, filter, join, follow up.

Form: `async function main() { … }`, whose return value is the result; or plain statements with \
top-level `await`, where a `return` or the last expression is the result.

- A tool takes one object and returns a promise: `await webSearch({ query: "x" })`. Use exactly \
the declared names. A call that does not fit its declaration throws an `ArgumentsError` that says \
what to change.
- Run independent calls in parallel, with `Promise.all` or `Promise.allSettled`; await one by one \
only what depends on the call before.
- A tool that fails throws an error with a `message`. Catch it where the program can go on \
without; uncaught, it ends the program, and you are shown the line: repair the program and run it \
whole again.
- Return only what you need to answer: pick fields, count, summarise. Results over 20,000 \
characters are cut. `text(value)` adds a line of output, `console.log` a line to the log.
- The result is JSON: a `Date` becomes ISO text, `undefined` null, `NaN` "NaN". Integers above \
2^53 come from tools as `BigInt`.
- Nothing is kept between programs: write needed values into the next one.
- It is modern JavaScript (ES2023); types are removed, not checked. There are `URL`, \
`TextEncoder`, `structuredClone`, `atob`, `crypto.randomUUID`. There is no `import` or `require`, \
no network or `fetch` of its own, no file, no `process`, no `Intl` (`toLocaleString` speaks en-US).
- Time and randomness are fixed for each program. Timers are virtual: `setTimeout` waits for no \
real time, and fires only when no tool call is waiting."""

_TYPESCRIPT_EXAMPLES = (
    """\
const cities = ["Paris", "Rome", "Oslo"];
const reports = await Promise.all(cities.map((city) => getWeather({ city })));
return cities.filter((_, i) => reports[i].temperature > 20);""",
    """\
async function main() {
  const open = (await listOrders({ status: "open" })).filter((order) => order.total > 100);
  const sent = await Promise.allSettled(open.map(({ id }) => sendReminder({ orderId: id })));
  const failed = open.filter((_, i) => sent[i].status === "rejected").map(({ id }) => id);
  return { reminded: open.length - failed.length, failed };
}""",
)

_PYTHON = """\
`run_python` runs one Python program (CPython 3.14) in a sandbox and shows you its result and what \
it printed. Inside the program, the functions below are tools: each call is really carried \
out. Do as much as you can in one program: loop, filter, join, follow up.

Form: plain statements with top-level `await`, where the last expression is the result; or \
`async def main():`, whose return value is the result. It is called for you.

- Tools are async functions with keyword arguments: `await web_search(query="x")`. Use exactly the \
declared names; an argument whose name is no Python name goes in as `**{"from": "x"}`. A call that \
does not fit its declaration raises an error that says what to change.
- A default of `...` means: leave the argument out unless you need it.
- Run independent calls in parallel, with `asyncio.gather` or a `TaskGroup`; await one by one only \
what depends on the call before.
- A tool that fails raises `ToolError`. Catch it where the program can go on without; uncaught, it \
ends the program, and you are shown the line: repair the program and run it whole again.
- Return only what you need to answer: pick fields, count, summarise. Results over 20,000 \
characters are cut. `print` adds a line to the log.
- The result is JSON, of dict, list, str, int, float, bool and None; dataclasses, dates and sets \
are converted, `nan` becomes "NaN". What tools return are plain dicts and lists: `row["title"]`.
- Nothing is kept between programs: write needed values into the next one.
- The standard library can be imported, third-party packages cannot. There is no network, no file, \
no subprocess, no thread.
- Time and randomness are fixed for each program. `asyncio.sleep` waits for no real time, and \
wakes only when no tool call is waiting."""

_PYTHON_EXAMPLES = (
    """\
import asyncio

cities = ["Paris", "Rome", "Oslo"]
reports = await asyncio.gather(*(get_weather(city=city) for city in cities))
[city for city, report in zip(cities, reports) if report["temperature"] > 20]""",
    """\
import asyncio

async def main():
    open_orders = [o for o in await list_orders(status="open") if o["total"] > 100]
    sent = await asyncio.gather(
        *(send_reminder(order_id=o["id"]) for o in open_orders), return_exceptions=True
    )
    failed = [o["id"] for o, r in zip(open_orders, sent) if isinstance(r, ToolError)]
    return {"reminded": len(open_orders) - len(failed), "failed": failed}""",
)


_INDEXED = """\
The tools are many: below is an index of them, in groups. Look up what you have not seen declared \
before you call it, in a program that returns what it finds: `await {search}("create issue")` \
gives the name, signature and description of the tools that fit these words best, `await \
{describe}("{example}")` the whole declaration of one. Every tool found so can be called, be it in \
the index or not."""


@dataclass(frozen=True, slots=True)
class Guide:
    """All that a model is told of a language, apart from the tools."""

    title: str
    fence: str
    tool: str
    rules: str
    examples: tuple[str, ...]


GUIDES = {
    "typescript": Guide("TypeScript", "ts", "run_typescript", _TYPESCRIPT, _TYPESCRIPT_EXAMPLES),
    "python": Guide("Python", "py", "run_python", _PYTHON, _PYTHON_EXAMPLES),
}


def instructions(language: str, *, indexed: bool = False) -> str:
    """The text for the system prompt; the declarations come after it, or the index of them."""
    guide = _guide(language)
    search, describe = (own.identifiers(language)[0] for own in (SEARCH, DESCRIBE))
    example = STYLES[language].join(("create", "issue"))
    many = [_INDEXED.format(search=search, describe=describe, example=example)] if indexed else []
    examples = [f"```{guide.fence}\n{example}\n```" for example in guide.examples]
    told = "Two programs, for tools that you may not have:"
    return "\n\n".join([guide.rules, *many, told, *examples])


def code_tool(language: str) -> Tool:
    """The one tool that a model is offered."""
    guide = _guide(language)
    return Tool(
        guide.tool,
        f"Run a {guide.title} program that calls the declared tools, and get its result.",
        {
            "type": "object",
            "properties": {
                "code": {"type": "string", "description": f"The whole {guide.title} program."}
            },
            "required": ["code"],
            "additionalProperties": False,
        },
    )


def _guide(language: str) -> Guide:
    if language not in GUIDES:
        known = ", ".join(GUIDES)
        raise UnknownLanguage(f"no program is written in {language!r}: choose one of {known}")
    return GUIDES[language]
