"""The laws as properties, over random Python programs, at every prefix of a run."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coderelay.core import Call, CallError, Limits, Program, Raised, Result, Returned, ToolName
from coderelay.core.jsonvalue import digest
from coderelay.engines.registry import engine
from tests.laws.python_programs import TOOLS, programs
from tests.laws.replay import live, replayed

NAMES = tuple(ToolName(tool, (tool,), ("n",)) for tool in TOOLS)
LIMITS = Limits(fuel=3_000_000_000)


def answer(call: Call) -> Result:
    """What the client's tools say: a function of the call, and often a failure."""
    chance = int(digest([call.index, call.name, call.arguments]), 16)
    if call.name == "may_fail" and chance % 2:
        return Raised(CallError(f"no luck with {chance % 5}", name="LuckError"))
    if chance % 11 == 0:
        return Returned({"n": chance % 10, "big": 2**70 + chance % 9, "text": "é\u2028😀\ud800"})
    return Returned({"n": chance % 10})


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(source=programs, name=st.sampled_from(["a", "b", "c"]))
def test_a_run_is_the_same_live_and_replayed_at_every_prefix(source: str, name: str) -> None:
    """Calls, logs, value and fuel."""
    runner = engine("python")
    program = Program("python", source, id=name)
    trace = live(runner, program, NAMES, answer, LIMITS)
    assert replayed(runner, program, NAMES, trace, LIMITS).outcomes == trace.outcomes
