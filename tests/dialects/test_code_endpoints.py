"""The endpoints for clients with their own agent loop."""

from typing import Any

import pytest

from coderelay.conversation import Unsupported
from coderelay.core import Completed, Entry, Limits, Program, Returned, Tool
from coderelay.dialects import code_endpoints
from coderelay.dialects.kit.error_table import openai_error_body

PROGRAM = {"language": "python", "source": "1", "id": "p1", "created": 5}


def test_what_to_evaluate_is_read() -> None:
    body = {
        "program": PROGRAM,
        "tools": [{"name": "f"}],
        "journal": [{"name": "f", "arguments": {}, "value": 1}],
    }
    request = code_endpoints.decode_evaluate(body)
    assert request.program == Program("python", "1", "p1", 5)
    assert request.tools == (Tool("f"),)
    assert request.journal == (Entry("f", {}, Returned(1)),)
    assert code_endpoints.encode_outcome(Completed(1)) == {
        "status": "completed",
        "value": 1,
        "logs": [],
    }


@pytest.mark.parametrize(
    ("body", "status", "named"),
    [
        ({}, 422, "program"),
        ({"program": {"source": 1}}, 422, "program.source"),
        ({"program": {"source": "1"}, "tools": 1}, 422, "tools"),
        ({"program": {"source": "1"}, "tools": [{}]}, 400, "tools[0]"),
        ({"program": {"source": "1"}, "tools": [{"name": "f"}, {}]}, 400, "tools[1]"),
        ({"program": {"source": "1", "language": "ruby"}}, 400, "program.language"),
        ({"program": {"source": "1", "created": -1}}, 400, "program.created"),
        ({"program": {"source": "1", "id": ""}}, 400, "program.id"),
        ({"program": {"source": "1"}, "journal": {}}, 422, "journal"),
        ({"program": {"source": "1"}, "journal": [{}]}, 400, "entry 0"),
        ({"program": {"source": "1" * 99}}, 413, "program.source"),
        (
            {
                "program": {"source": "1"},
                "journal": [{"name": "f", "arguments": {}, "value": "x" * 99}],
            },
            413,
            "journal[0].value",
        ),
    ],
)
def test_bad_input_is_refused_by_its_name(body: Any, status: int, named: str) -> None:
    with pytest.raises(Exception, match=r".") as caught:
        code_endpoints.decode_evaluate(body, limits=Limits(source=50, result=50))
    got, answer, _ = openai_error_body(caught.value)
    assert got == status
    assert named in answer["error"]["message"]
    assert answer["error"]["param"] == (None if named == "entry 0" else named)


def test_declarations_in_an_unknown_language_are_refused_by_its_name() -> None:
    with pytest.raises(Unsupported, match=r"typescript, python") as caught:
        code_endpoints.decode_declarations({"tools": [], "language": "ruby"})
    assert caught.value.param == "language"


def test_the_declarations_endpoint_returns_declarations() -> None:
    request = code_endpoints.decode_declarations({"tools": [{"name": "f"}], "language": "python"})
    assert (request.tools, request.language) == ((Tool("f"),), "python")
    answer = code_endpoints.encode_declarations("d", "i", Tool("run_python", "Run."))
    assert answer["tool"]["function"]["name"] == "run_python"
    assert (answer["declarations"], answer["instructions"]) == ("d", "i")
