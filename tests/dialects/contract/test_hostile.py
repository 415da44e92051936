"""Whatever a client sends is read, or refused with a proper status."""

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coderelay.models import ScriptedModel
from tests.dialects.contract.client import SEARCH, Client, Spec
from tests.dialects.contract.clients import CLIENTS
from tests.dialects.contract.programs import PROGRAMS, search
from tests.gateway.driving import code, script

Json = Any
ODD: list[Json] = [None, -1, "cr1_x", [None], {"type": 3}]
TOOLS = [SEARCH, Spec("other", {"type": "object"}, ("direct",))]
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)  # JSON has no others
odd = st.recursive(
    st.one_of(st.sampled_from(ODD), numbers, st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from("type id role content text name".split()), inner),
    ),
    max_leaves=5,
)


@lru_cache
def recorded(client: Client) -> tuple[str, ...]:
    """The requests of a sound conversation, as text."""
    language = client.languages[0]
    source = PROGRAMS[language]
    model = script(code(source["broken"]), code(source["parallel"], "Hm."), "Done.", "Yes.")
    history, bodies = client.user("Go."), []
    asked: dict[str, Any] = {"tools": TOOLS, "language": language, "stream": True, "choice": "auto"}
    for _ in range(3):
        bodies.append(client.body(history, **asked))
        response = client.ask(bodies[-1], model)
        history = client.after(history, response)
        calls = client.calls(response)
        answers = [(made, json.dumps(search(**made.arguments))) for made in calls]
        history = client.answered(history, answers) if calls else history + client.user("And?")
    return tuple(json.dumps(body) for body in bodies)


def places(value: Json, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to everything inside a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in inner:
        yield (*path, key)
        if isinstance(item, (dict, list)):
            yield from places(item, (*path, key))


def changed(text: str, path: tuple[Any, ...], value: Json) -> Json:
    body = json.loads(text)
    holder = body
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return body


def read_or_refused(client: Client, body: Json) -> bool:
    """Whether the body was read. Raises where something else happened than a refusal."""
    try:
        client.ask(body, ScriptedModel(lambda asked: "Words."))
    except Exception as error:
        status, told, _ = client.dialect.error_body(error)
        if status >= 500:
            raise
        assert json.dumps(told)
        return False
    return True


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_a_field_of_any_other_type_is_read_or_refused(client: Client) -> None:
    text = recorded(client)[-1]
    read = [
        read_or_refused(client, changed(text, path, value))
        for path in places(json.loads(text))
        for value in ODD
    ]
    assert len(read) > 200
    assert not all(read)


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_a_request_without_one_of_its_fields_is_read_or_refused(client: Client) -> None:
    for text in recorded(client):
        for path in places(json.loads(text)):
            body = json.loads(text)
            holder = body
            for key in path[:-1]:
                holder = holder[key]
            del holder[path[-1]]
            read_or_refused(client, body)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data(), st.sampled_from(CLIENTS))
def test_a_request_is_read_or_refused(data: st.DataObject, client: Client) -> None:
    body = json.loads(data.draw(st.sampled_from(recorded(client))))
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(list(places(body))))
        body = changed(json.dumps(body), path, data.draw(odd))
    read_or_refused(client, body)


@given(odd)
def test_any_other_body_is_refused(body: Json) -> None:
    for client in CLIENTS:
        assert not read_or_refused(client, body)
