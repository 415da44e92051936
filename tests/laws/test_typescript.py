"""The laws as properties, over random TypeScript programs, at every prefix of a run."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coderelay.core import Program, Tool
from coderelay.languages.language_registry import engine
from tests.laws.replay import assert_lawful
from tests.laws.typescript_programs import TOOLS, programs

DECLARED = [Tool(tool, "A tool.", {"properties": {"n": {}}}) for tool in TOOLS]


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(source=programs, name=st.sampled_from(["a", "b", "c"]))
def test_a_run_is_the_same_live_and_replayed_at_every_prefix(source: str, name: str) -> None:
    """Calls, logs, value and fuel."""
    assert_lawful(engine("typescript"), Program("typescript", source, id=name), DECLARED)
