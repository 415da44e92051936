"""The parts of the server, each by itself."""

import asyncio
import json
import logging
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from coderelay import Program, evaluate
from coderelay.core import Limits
from coderelay.core.alternatives import alternatives
from coderelay.languages.language_registry import LANGUAGES
from coderelay.server.access import Keys, key_of
from coderelay.server.admission import Admission
from coderelay.server.logs import JsonLines
from coderelay.server.metrics import Metrics
from coderelay.server.refusals import Full, RepeatedHeader, Unauthorized
from coderelay.server.settings import InvalidSetting, Settings
from coderelay.server.streaming import with_keep_alives
from coderelay.server.workers import Workers
from tests.clocks import Gate


def test_a_place_is_freed_however_a_request_ends() -> None:
    admission = Admission(1, "turns")
    with pytest.raises(ZeroDivisionError), admission.place():
        raise ZeroDivisionError
    with admission.place(), pytest.raises(Full, match="1 turns are in progress"), admission.place():
        pass
    assert admission.taken == 0


def test_a_server_without_keys_is_open_to_everybody() -> None:
    Keys([]).check(None)


@pytest.mark.parametrize("key", [None, "", "k-on", "k-one ", "K-ONE", "k-öne"])
def test_a_wrong_key_is_refused_and_not_repeated_in_the_error(key: str | None) -> None:
    with pytest.raises(Unauthorized) as refused:
        Keys(["k-one", "k-two"]).check(key)
    assert "k-" not in str(refused.value)


def test_each_of_several_keys_is_accepted() -> None:
    for key in ("one", "two"):
        Keys(["one", "two"]).check(key)


@pytest.mark.parametrize(
    ("header", "key"),
    [
        (b"", None),
        (b"Bearer", None),
        (b"Bearer  ", None),
        (b"Basic abc", None),
        (b"Bearer abc", "abc"),
        (b"bearer  abc ", "abc"),
        (b"Bearer \xff", None),
    ],
)
def test_a_key_is_what_follows_bearer(header: bytes, key: str | None) -> None:
    assert key_of([(b"authorization", header)]) == key


def test_a_key_may_be_sent_in_its_own_header() -> None:
    assert key_of([]) is None
    assert key_of([(b"x-api-key", b"abc")]) == "abc"
    assert key_of([(b"api-key", b"abc")]) == "abc"
    assert key_of([(b"x-api-key", b"two"), (b"authorization", b"Bearer one")]) == "one"
    assert key_of([(b"authorization", b"Basic x"), (b"api-key", b"b"), (b"x-api-key", b"a")]) == "a"


@pytest.mark.parametrize("name", [b"authorization", b"x-api-key", b"api-key"])
def test_a_repeated_key_header_is_refused(name: bytes) -> None:
    with pytest.raises(RepeatedHeader, match="twice"):
        key_of([(name, b"Bearer one"), (b"x-other", b"y"), (name, b"Bearer one")])


def test_the_servers_key_replaces_the_clients() -> None:
    assert Settings("scripted", upstream_key="up").key_for_upstream("client") == "up"


def test_the_clients_key_is_passed_on_where_the_server_has_none() -> None:
    assert Settings("scripted").key_for_upstream("client") == "client"


def test_a_key_that_opens_this_server_never_goes_upstream() -> None:
    assert Settings("scripted", client_keys=("client",)).key_for_upstream("client") is None


def test_settings_show_no_key() -> None:
    shown = repr(Settings("scripted", upstream_key="sk-up", client_keys=("sk-client",)))
    assert "sk-" not in shown


@pytest.mark.parametrize(
    "upstream",
    ["", "ftp://host/v1", "127.0.0.1:80", "http://", "http://host:port", "http://u:p@host/v1"],
)
def test_an_upstream_that_is_not_a_url_is_named_in_the_error(upstream: str) -> None:
    with pytest.raises(InvalidSetting, match="upstream must be an"):
        Settings(upstream)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"language": "perl"}, f"language must be {alternatives(LANGUAGES)}, not 'perl'"),
        ({"log_level": "loud"}, "log_level must be debug"),
        ({"upstream_key": "a\nb"}, "upstream_key must be a key that a header can carry"),
        ({"client_keys": ("",)}, "client_keys must be a key"),
        ({"workers": 0}, "workers must be a whole number, at least 1, not 0"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(setting: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidSetting, match=message):
        Settings("scripted", **setting)  # type: ignore[arg-type]


def test_workers_have_stack_for_deep_recursion_and_leave_other_threads_alone() -> None:
    before = threading.stack_size()
    workers = Workers(2)
    assert threading.stack_size() == before

    def deep(levels: int) -> int:
        return 0 if levels == 0 else 1 + len(repr(None)) * 0 + deep(levels - 1)

    async def run() -> int:
        limit = sys.getrecursionlimit()
        return await workers.run(lambda: deep(limit // 2))

    assert asyncio.run(run()) == sys.getrecursionlimit() // 2
    workers.close()


def test_work_of_a_cancelled_request_is_dropped_if_it_has_not_begun() -> None:
    workers = Workers(1)
    gate = threading.Event()
    done: list[str] = []

    async def run() -> None:
        first = asyncio.ensure_future(workers.run(gate.wait))
        second = asyncio.ensure_future(workers.run(lambda: done.append("second")))
        third = asyncio.ensure_future(workers.run(lambda: done.append("third")))
        await asyncio.sleep(0)
        second.cancel()
        await asyncio.sleep(0)  # the loop tells of it
        gate.set()
        await asyncio.gather(first, third)

    asyncio.run(run())
    workers.close()
    assert done == ["third"]


def test_a_guest_is_stopped_when_its_client_disconnects() -> None:
    workers = Workers(1)
    without_end = Limits(fuel=10**15, step_fuel=10**15, seconds=10**9)
    begun = Gate()

    def endless() -> object:
        begun.open()
        return evaluate(Program("typescript", "for (;;) {}"), [], [], limits=without_end)

    async def run() -> None:
        abandoned = asyncio.ensure_future(workers.run(endless))
        await begun.opened()
        abandoned.cancel()
        await workers.run(lambda: None)

    asyncio.run(run())
    workers.close()


def test_silence_is_reported_and_no_event_is_lost() -> None:
    async def run() -> list[str | None]:
        speak = asyncio.Event()

        async def events() -> AsyncIterator[str]:
            yield "a"
            await speak.wait()
            yield "b"

        heard: list[str | None] = []
        async for event in with_keep_alives(events(), 0.001):
            heard.append(event)
            if heard.count(None) == 3:
                speak.set()
        return heard

    heard = asyncio.run(run())
    assert [event for event in heard if event] == ["a", "b"]
    assert heard.count(None) >= 3


def test_closing_the_stream_closes_the_source_of_its_events() -> None:
    ended: list[str] = []

    async def run() -> None:
        async def events() -> AsyncIterator[str]:
            try:
                yield "a"
                await asyncio.Event().wait()
            finally:
                ended.append("ended")

        listening = with_keep_alives(events(), 60)
        assert await anext(listening) == "a"
        waiting = asyncio.ensure_future(anext(listening))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await listening.aclose()

    asyncio.run(run())
    assert ended == ["ended"]


def test_a_line_of_the_log_is_json_with_its_fields() -> None:
    record = logging.LogRecord("x", logging.INFO, "", 0, "request", None, None)
    record.fields = {"status": 200}
    line = json.loads(JsonLines().format(record))
    assert line["event"] == "request"
    assert line["status"] == 200
    assert line["time"].endswith("Z")


def test_a_line_of_the_log_is_one_line_whatever_it_says() -> None:
    record = logging.LogRecord("x", logging.INFO, "", 0, "odd\nevent", None, None)
    path = "a\r\nb\x85c\u2028d\u2029e\x0bf\ud800"
    record.__dict__["fields"] = {"path": path}
    text = JsonLines().format(record)
    assert text.splitlines() == [text]
    assert text.isascii()
    assert json.loads(text)["path"] == path


def test_metrics_count_requests_by_status() -> None:
    metrics = Metrics()
    metrics.began()
    metrics.ended("/v1/models", 200, 0.002)
    metrics.program("python", "failed")
    text = metrics.text().decode()
    assert 'coderelay_requests_total{path="/v1/models",status="200"} 1.0' in text
    assert "coderelay_requests_in_progress 0.0" in text
    assert 'coderelay_programs_total{language="python",outcome="failed"} 1.0' in text


def test_a_killed_worker_process_has_nothing_in_progress(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    count = (
        "from coderelay.server.metrics import Metrics; m = Metrics(); m.began(); m.calls('x', 2)"
    )
    subprocess.run([sys.executable, "-c", count], check=True)
    text = Metrics().text().decode()
    assert 'coderelay_calls_total{language="x"} 2.0' in text
    assert "coderelay_requests_in_progress 1.0" not in text
