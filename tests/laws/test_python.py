"""The laws as properties, over random Python programs, at every prefix of a run."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coderelay.core import Program, Tool
from coderelay.languages.language_registry import engine
from tests.laws.python_programs import TOOLS, programs
from tests.laws.replay import assert_lawful

DECLARED = [Tool(tool, "A tool.", {"properties": {"n": {}}}) for tool in TOOLS]


@settings(max_examples=75, deadline=None, suppress_health_check=list(HealthCheck))
@given(source=programs, name=st.sampled_from(["a", "b", "c"]))
def test_a_run_is_the_same_live_and_replayed_at_every_prefix(source: str, name: str) -> None:
    """Calls, logs, value and fuel."""
    assert_lawful(engine("python"), Program("python", source, id=name), DECLARED)
