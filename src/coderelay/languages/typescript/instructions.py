"""What a model is told about TypeScript programs."""

from coderelay.languages.language import MOST_TOOLS_FOUND, TOOLS_FOUND, Guide

_RULES = """\
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

_EXAMPLES = (
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

_SEARCH_TOOLS = f"""\
/** The tools that fit some words best: {TOOLS_FOUND} of them, or as many as you say, up to \
{MOST_TOOLS_FOUND}. */
declare function searchTools(query: string, limit?: number): \
Promise<{{ name: string; signature: string; description: string }}[]>;"""

_DESCRIBE_TOOL = """\
/** The whole declaration of the tool of this name. */
declare function describeTool(name: string): Promise<string>;"""

GUIDE = Guide(
    _RULES,
    _EXAMPLES,
    search_tools=_SEARCH_TOOLS,
    describe_tool=_DESCRIBE_TOOL,
    search_call='await searchTools("create issue")',
    describe_call='await describeTool("createIssue")',
)
