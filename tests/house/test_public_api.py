"""The public API is small, and changes on purpose only."""

import inspect
from dataclasses import fields

import pytest

import coderelay

NAMES = """
Agent Call CallError CodeMessage CodeResultMessage CoderelayError Completed Diverged EndpointError
EngineError Entry Failed Failure InvalidJournal InvalidTool Journal Limits LocalTool Log Outcome
Program Raised Refused RequestError Result Returned Run Suspended TimedOut Tool ToolIsCode
UnknownLanguage evaluate start tool
"""

FIELDS = {
    "Call": "index name arguments",
    "CallError": "message name kind",
    "Completed": "value logs fuel",
    "Entry": "name arguments result digest",
    "Failed": "error logs fuel",
    "Failure": "kind message name limit line column stack frame calls",
    "Limits": (
        "fuel step_fuel seconds memory source arguments calls waiting batch result value logs"
    ),
    "LocalTool": "declaration function signature",
    "Log": "level text",
    "Program": "language source id created",
    "Raised": "error",
    "Returned": "value",
    "Suspended": "calls logs fuel",
    "Tool": "name description parameters returns",
}

PARAMETERS = {
    "Agent.run": "self text *watch",
    "Agent.run_sync": "self text *watch",
    "Agent.stream": "self text",
    "evaluate": "program tools journal *limits *undeclared_arguments",
    "start": "program tools *limits *undeclared_arguments",
    "tool": "/function *name *description",
    "Run.proceed": "self entries",
    "Run.close": "self",
    "ToolIsCode": "tools callback *api *name *directory *timeout *output *declarations "
    "*undeclared_arguments *limits *on_call *on_result",
    "ToolIsCode.tool_call": "self item",
    "ToolIsCode.atool_call": "self item",
    "ToolIsCode.close": "self",
}

PARENTS = {
    "RequestError": "CoderelayError",
    "UnknownLanguage": "RequestError",
    "InvalidTool": "RequestError",
    "InvalidJournal": "RequestError",
    "Diverged": "RequestError",
    "EngineError": "CoderelayError",
    "EndpointError": "CoderelayError",
    "TimedOut": "EngineError",
}

_MARKS: dict[object, str] = {
    inspect.Parameter.POSITIONAL_ONLY: "/",
    inspect.Parameter.KEYWORD_ONLY: "*",
}


def find(path: str) -> object:
    found: object = coderelay
    for part in path.split("."):
        found = getattr(found, part)
    return found


def test_these_names_are_exported_and_no_others() -> None:
    assert coderelay.__all__ == NAMES.split()
    assert all(hasattr(coderelay, name) for name in coderelay.__all__)


@pytest.mark.parametrize("name", FIELDS)
def test_a_value_has_these_fields_in_this_order(name: str) -> None:
    kind = getattr(coderelay, name)
    assert [field.name for field in fields(kind)] == FIELDS[name].split()
    assert kind.__dataclass_params__.frozen


@pytest.mark.parametrize("path", PARAMETERS)
def test_a_function_takes_these_parameters(path: str) -> None:
    found = find(path)
    assert callable(found)
    parameters = inspect.signature(found).parameters.values()
    shown = [_MARKS.get(parameter.kind, "") + parameter.name for parameter in parameters]
    assert shown == PARAMETERS[path].split()


@pytest.mark.parametrize("name", PARENTS)
def test_an_error_says_whose_fault_it_is(name: str) -> None:
    assert getattr(coderelay, name).__base__ is getattr(coderelay, PARENTS[name])


def test_only_a_run_that_took_too_long_is_worth_another_try() -> None:
    assert coderelay.TimedOut.retryable
    assert not coderelay.EngineError.retryable


def test_modules_whose_names_got_better_are_still_found_under_the_old_ones() -> None:
    from coderelay.engines import scripted as old_engine
    from coderelay.engines import scripted_engine
    from coderelay.models import scripted as old_model
    from coderelay.models import scripted_model

    assert old_engine.ScriptedEngine is scripted_engine.ScriptedEngine
    assert old_model.ScriptedModel is scripted_model.ScriptedModel
    assert old_model.Answer is scripted_model.ScriptedAnswer
