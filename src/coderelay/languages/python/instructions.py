"""What a model is told about Python programs."""

from coderelay.languages.language import MOST_TOOLS_FOUND, TOOLS_FOUND, Guide

_RULES = """\
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

_EXAMPLES = (
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

_SEARCH_TOOLS = f'''\
async def search_tools(query: str, limit: int = {TOOLS_FOUND}) -> list[dict[str, str]]:
    """The tools that fit some words best, up to {MOST_TOOLS_FOUND}: name, signature, \
description."""'''

_DESCRIBE_TOOL = '''\
async def describe_tool(name: str) -> str:
    """The whole declaration of the tool of this name."""'''

GUIDE = Guide(
    _RULES,
    _EXAMPLES,
    search_tools=_SEARCH_TOOLS,
    describe_tool=_DESCRIBE_TOOL,
    search_call='await search_tools("create issue")',
    describe_call='await describe_tool("create_issue")',
)
