"""Whatever a Messages client sends is read or refused properly."""

import contextlib
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coderelay.core import RequestError
from coderelay.dialects import anthropic
from coderelay.dialects.kit.code_mode import Defaults
from tests.attacks.costs import Case
from tests.attacks.costs.measure import growth

Json = Any

odd = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)
CALL = "cr1_p_0_0123456789abcdef"
PROGRAM = "srvtoolu_cr1_p_1763200000_0123456789abcdef"
NAMES = (
    "type text id name input content tool_use_id is_error source data media_type url title code "
    "stdout stderr return_code caller thinking"
).split()
TYPES = (
    "text image document search_result tool_use tool_result server_tool_use thinking base64 url "
    "code_execution_tool_result code_execution_result content application/pdf code_execution"
).split()
values = st.one_of(odd, st.sampled_from([*TYPES, CALL, PROGRAM, "toolu_1", {"code": "1"}]))
blocks = st.dictionaries(st.sampled_from(NAMES), values, max_size=6)
sound = st.sampled_from(
    [
        {"type": "text", "text": "x"},
        {"type": "tool_use", "id": CALL, "name": "f", "input": {}},
        {"type": "tool_use", "id": "cr1__x", "name": "f", "input": {}},
        {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}},
        {"type": "tool_result", "tool_use_id": CALL, "content": "1"},
        {"type": "tool_result", "tool_use_id": "toolu_1"},
        {
            "type": "server_tool_use",
            "id": PROGRAM,
            "name": "code_execution",
            "input": {"code": "1"},
        },
        {
            "type": "code_execution_tool_result",
            "tool_use_id": PROGRAM,
            "content": {"type": "code_execution_result", "stdout": "1"},
        },
    ]
)
contents = st.one_of(odd, st.lists(st.one_of(sound, blocks), max_size=5))
roles = st.sampled_from(["user", "assistant", "system", "tool"])
messages = st.fixed_dictionaries({"role": roles, "content": contents})
FIELDS = (
    "system tools tool_choice stream thinking metadata stop_sequences output_config output_format "
    "container context_management mcp_servers thread code_mode max_tokens"
).split()
bodies = st.builds(
    lambda history, more: {"model": "m", "max_tokens": 9, "messages": history, **more},
    st.lists(messages, max_size=6),
    st.dictionaries(st.sampled_from(FIELDS), odd, max_size=2),
)


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.one_of(bodies, odd))
def test_a_request_is_read_or_refused(body: Json) -> None:
    for read in (anthropic.decode, anthropic.decode_count):
        with contextlib.suppress(RequestError):
            read(body, Defaults())


def test_a_history_of_stray_results_is_read_in_linear_time() -> None:
    def history(size: int) -> Json:
        use = {"type": "tool_use", "id": CALL, "name": "f", "input": {}}
        told: list[Json] = [{"role": "assistant", "content": [use]}]
        told += [{"role": "assistant", "content": "x"}] * size
        stray = [{"type": "tool_result", "tool_use_id": CALL, "content": "1"}] * (2 * size)
        told += [{"role": "user", "content": stray}]
        return {"model": "m", "max_tokens": 9, "messages": told}

    def read(body: Json) -> None:
        with contextlib.suppress(RequestError):
            anthropic.decode(body, Defaults())

    assert growth(Case("dialects.anthropic", "stray results", 9_000, history, read), 3) <= 3
