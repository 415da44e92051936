"""Random TypeScript programs that do what real ones do: branch, loop, call, fail and catch."""

from hypothesis import strategies as st

TOOLS = ("fetchItem", "countThings", "mayFail")
PRELUDE = """\
type Item = { n: number; tag?: string };
enum Mood { Good = 'good', Bad = 'bad' }
const seen: unknown[] = [];
const note = (x: unknown): void => { seen.push(x); };
const weigh = (): number => JSON.stringify(seen).length % 7;
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
async function* count(to: number): AsyncGenerator<number> {
  for (let i = 0; i < to; i++) yield (await fetchItem({ n: i } satisfies Item)).n as number;
}
"""

numbers = st.integers(0, 9)
expressions = st.one_of(
    numbers.map(str),
    st.just("weigh()"),
    st.just("seen.length"),
    st.just("Math.floor(Math.random() * 10)"),
    st.just("new Date().getUTCSeconds()"),
)
own_calls = st.sampled_from(
    [
        "searchTools('item things')",
        "searchTools('count', 1)",
        "search_tools({ query: 'zzz' })",
        "searchTools('item', 0)",
        "describeTool('fetchItem')",
        "describeTool(`fetch${weigh()}`)",
    ]
)
calls = st.one_of(
    st.builds(lambda tool, n: f"{tool}({{ n: {n} }})", st.sampled_from(TOOLS), expressions),
    own_calls,
)
sure_calls = st.builds(
    lambda tool, n: f"{tool}({{ n: {n} }})", st.sampled_from(TOOLS[:2]), expressions
)

simple = st.one_of(
    sure_calls.map(lambda call: f"note(await {call});"),
    calls.map(lambda call: f"note(await {call}.catch((e) => e.name + e.message));"),
    calls.map(lambda call: f"void {call}.then(note, (e) => note(e.message));"),
    calls.map(lambda call: f"{call};"),
    numbers.map(lambda ms: f"await sleep({ms} * 10);"),
    numbers.map(lambda ms: f"setTimeout(() => note('timer {ms}'), {ms} * 10);"),
    st.just("note(Math.random()); note(Date.now()); note(crypto.randomUUID());"),
    st.just("console.log('seen', seen.length, seen.at(-1));"),
    st.just("console.warn(Mood.Good, performance.now());"),
    st.just("queueMicrotask(() => note('micro'));"),
    numbers.map(lambda n: f"for await (const x of count({n} % 4)) note(x);"),
    st.just("throw new RangeError(`at ${seen.length}`);"),
    st.just("note([...new Set(seen.map((x) => typeof x))]);"),
    st.just(
        "{ let ticks = 0; await new Promise<void>((done) => { const id = setInterval(() => {"
        " note(++ticks); if (ticks > 2) { clearInterval(id); done(); } }, 5); }); }"
    ),
)


def _together(block: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    some_calls = st.lists(calls, min_size=1, max_size=4).map(", ".join)
    branches = st.lists(block.map(lambda b: f"(async () => {{ {b} }})()"), min_size=1, max_size=3)
    return st.one_of(
        some_calls.map(lambda c: f"note((await Promise.allSettled([{c}])).map((r) => r.status));"),
        some_calls.map(lambda c: f"note(await Promise.race([{c}, sleep(1)]).catch(String));"),
        some_calls.map(lambda c: f"note(await Promise.any([{c}]).catch((e) => e.errors.length));"),
        some_calls.map(lambda c: f"note(await Promise.all([{c}]).catch((e) => e.message));"),
        branches.map(lambda b: f"note((await Promise.allSettled([{', '.join(b)}])).length);"),
    )


def _compound(block: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds(lambda a, b: f"if (weigh() % 2) {{ {a} }} else {{ {b} }}", block, block),
        st.builds(lambda n, b: f"for (let i = 0; i < {n} % 4; i++) {{ {b} }}", numbers, block),
        st.builds(
            lambda a, b, c: f"try {{ {a} }} catch (e) {{ note(String(e)); {b} }} finally {{ {c} }}",
            block,
            block,
            block,
        ),
        _together(block),
    )


statements = st.recursive(
    simple,
    lambda inner: _compound(st.lists(inner, min_size=1, max_size=3).map("\n  ".join)),
    max_leaves=8,
)
bodies = st.lists(statements, min_size=1, max_size=6).map("\n  ".join)
programs = st.one_of(
    bodies.map(lambda body: f"{PRELUDE}async function main() {{\n  {body}\n  return seen;\n}}"),
    bodies.map(lambda body: f"{PRELUDE}{body}\nseen"),
    bodies.map(lambda body: f"{PRELUDE}{body}\nreturn {{ seen }};"),
)
