"""Whatever carries the state of a program, in every dialect, carries all of it, and tells a state
that is foreign, damaged or of a newer version from one that can be used."""

import base64
import json
import re
import zlib
from collections.abc import Callable
from typing import Any

import pytest

from coderelay.conversation import DamagedState, NewerState, StateError
from coderelay.conversation.state_text import TextLimits, pack
from coderelay.core.json_values import digest
from coderelay.languages.language_registry import engine
from tests.dialects.contract.client import SEARCH, Client, Spec
from tests.dialects.contract.clients import CLIENTS, SPOKEN
from tests.dialects.contract.programs import FUNCTIONS, PROGRAMS
from tests.gateway.driving import code, script

Json = Any
MAIL = Spec("send_mail", {"type": "object", "properties": {}})
STATE = re.compile(r'"(?:cr1_|srvtoolu_)?(_[A-Za-z0-9_-]{40,})"')
LIMITS = TextLimits(64_000, 1_000_000)
clients = pytest.mark.parametrize("client", CLIENTS, ids=str)
spoken = pytest.mark.parametrize(("client", "language"), SPOKEN, ids=str)


def ask(client: Client, history: Json, model: Any, **more: Any) -> Json:
    asked: dict[str, Any] = {"tools": [SEARCH], "language": client.languages[0], **more}
    return client.ask(client.body(history, stream=False, **asked), model)


def opened(client: Client, name: str = "twice", **more: Any) -> list[Json]:
    """A history that ends with the answers to a program's first calls."""
    history = client.user("Go.")
    source = PROGRAMS[more.get("language", client.languages[0])][name]
    response = ask(client, history, script(code(source)), **more)
    history = client.after(history, response)
    return client.answered(history, [(made, '"A"') for made in client.calls(response)])


def carried(history: Json) -> str:
    """The text that carries the state of the history's program."""
    texts: list[str] = STATE.findall(json.dumps(history))
    return texts[0]


def fields_in(text: str) -> dict[str, Json]:
    """The fields of a state."""
    whole = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    fields: dict[str, Json] = json.loads(zlib.decompress(whole[5:], wbits=-15))
    return fields


def replaced(history: Json, change: Callable[[str], str]) -> Json:
    """The history with another text for the state, wherever it is."""
    text = carried(history)
    return json.loads(json.dumps(history).replace(text, change(text)))


def with_fields(**more: Json) -> Callable[[str], str]:
    """A change that adds fields, as a newer version might."""

    def change(text: str) -> str:
        changed = pack({**fields_in(text), **more}, LIMITS)
        assert changed is not None
        return changed

    return change


def refused(client: Client, history: Json) -> tuple[StateError, str, str]:
    """The error, its code, and its message for the client."""
    with pytest.raises(StateError) as caught:
        ask(client, history, script())
    status, body, _ = client.dialect.error_body(caught.value)
    assert status == 400
    error = body["error"]
    kind = error["details"]["error_code"] if "details" in error else error["code"]
    return caught.value, kind, error["message"]


@spoken
def test_a_state_has_the_tools_and_the_version_of_the_sandbox(
    client: Client, language: str
) -> None:
    fields = fields_in(carried(opened(client, language=language)))
    assert fields["tools"] == ["web_search"]
    assert fields["fingerprint"] == engine(language).fingerprint


@spoken
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_tool_that_is_added_while_a_program_waits_changes_nothing_for_it(
    client: Client, language: str, stream: bool
) -> None:
    history = opened(client, "without mail", language=language)
    model = script(code(""), "Done.")
    asked: dict[str, Any] = {"tools": [SEARCH, MAIL], "language": language, "stream": stream}
    conversation = client.converse(history, model, FUNCTIONS, **asked)
    made = [[call.name for call in batch] for batch in conversation.batches]
    assert made == [["web_search"]]
    shown = model.seen[-1]["messages"][-1]["content"].removeprefix("Result:\n")
    assert json.loads(shown) == ["no mail", "A", ["b"]]


@clients
def test_a_field_that_is_not_known_is_ignored(client: Client) -> None:
    history = opened(client)
    newer = replaced(history, with_fields(colour="red"))
    once, again = (client.calls(ask(client, each, script())) for each in (history, newer))
    assert [call.arguments for call in once] == [{"query": "b"}]
    assert once == again


@clients
def test_a_field_that_must_not_be_ignored_is_refused(client: Client) -> None:
    newer = replaced(opened(client), with_fields(approval=True, needs=["approval"]))
    error, kind, message = refused(client, newer)
    assert isinstance(error, NewerState) and kind == "newer_token"
    assert "was made by a newer version of this server, which needs approval" in message
    assert message.endswith(": upgrade all servers to the same version")


@clients
def test_a_known_field_that_must_not_be_ignored_is_accepted(client: Client) -> None:
    history = replaced(opened(client), with_fields(needs=["fingerprint", "tools"]))
    assert len(client.calls(ask(client, history, script()))) == 1


@clients
def test_an_unknown_format_is_refused_as_newer(client: Client) -> None:
    def other_format(text: str) -> str:
        whole = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        return base64.urlsafe_b64encode(b"\xfc" + whole[1:]).rstrip(b"=").decode()

    error, _, message = refused(client, replaced(opened(client), other_format))
    assert isinstance(error, NewerState)
    assert message.endswith("does not know: upgrade all servers to the same version")


@clients
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda text: text[:30] + ("A" if text[30] != "A" else "B") + text[31:], "checksum"),
        (lambda text: text[:40], "cut short"),
        (lambda text: text[:30] + "." + text[31:], "has a character that is never in it"),
        (lambda text: text + "A" * 64_000, "is longer than"),
        (with_fields(tools=1), "cannot be read"),
    ],
    ids=["a letter changed", "cut short", "another character", "too long", "a wrong type"],
)
def test_a_damaged_state_is_refused(
    client: Client, change: Callable[[str], str], reason: str
) -> None:
    error, kind, message = refused(client, replaced(opened(client), change))
    assert isinstance(error, DamagedState) and kind == "damaged_token"
    assert reason in message
    assert message.endswith(": send it back exactly as it was handed out")


@clients
@pytest.mark.parametrize(
    "change",
    [lambda text: text[:-9], with_fields(needs=["approval"])],
    ids=["damaged", "newer"],
)
def test_a_program_that_has_ended_needs_no_state(
    client: Client, change: Callable[[str], str]
) -> None:
    language = client.languages[0]
    model = script(code(PROGRAMS[language]["one"]), "Done.")
    asked: dict[str, Any] = {"tools": [SEARCH], "language": language, "stream": False}
    history = client.converse(client.user("Go."), model, FUNCTIONS, **asked).history
    ask(client, [*replaced(history, change), *client.user("And?")], model := script("", "", "So."))
    assert model.seen[-1]["messages"][-1]["content"] == "And?"


@clients
def test_a_state_of_an_earlier_release_is_accepted(client: Client) -> None:
    history = opened(client)

    def of_first_version(text: str) -> str:
        fields = fields_in(text)
        id, language, created, source = fields["program"]
        if not client.vendor:
            return _packed_list([fields["program"], "f", 0, fields["arguments"], []])
        if client.name == "anthropic":
            return f"cr1_{id}_{created}_{fields['digest']}"
        source = PROGRAMS[language]["twice"]
        return f"cr1-{language}-{created}-{digest([id, language, created, source])}"

    old = replaced(history, of_first_version)
    assert old != history
    once, again = (client.calls(ask(client, each, script())) for each in (history, old))
    assert once == again and len(once) == 1


def _packed_list(values: list[Json]) -> str:
    packed = zlib.compress(json.dumps(values).encode(), wbits=-15)
    whole = b"\xfd" + zlib.crc32(packed).to_bytes(4, "big") + packed
    return base64.urlsafe_b64encode(whole).rstrip(b"=").decode()


@clients
def test_a_state_that_says_less_is_accepted(client: Client) -> None:
    def shorter(text: str) -> str:
        fields = fields_in(text)
        kept = {name: fields[name] for name in fields if name not in ("tools", "fingerprint")}
        changed = pack(kept, LIMITS)
        assert changed is not None
        return changed

    history = replaced(opened(client), shorter)
    assert len(client.calls(ask(client, history, script()))) == 1


@pytest.mark.parametrize("client", [c for c in CLIENTS if c.vendor and c.name != "responses"])
@pytest.mark.parametrize("foreign", ["01AbcDef", "completed"])
def test_a_text_of_another_server_is_no_state(client: Client, foreign: str) -> None:
    history = replaced(opened(client), lambda text: foreign)
    assert len(client.calls(ask(client, history, script()))) == 1


@pytest.mark.parametrize("client", [c for c in CLIENTS if c.vendor], ids=str)
def test_the_program_keeps_the_id_that_the_client_knows(client: Client) -> None:
    history = replaced(opened(client), with_fields(colour="red"))
    response = ask(client, history, script())
    texts = set(STATE.findall(json.dumps(response)))
    assert texts <= {carried(history)}
