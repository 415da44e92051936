"""Without client keys, no foreign web page can use the server, and all other clients still can."""

import json
from collections.abc import Iterator

import httpx
import pytest

from coderelay.dialects.registry import DIALECTS
from coderelay.server.access import host_name
from coderelay.server.app import paths
from coderelay.server.settings import InvalidSetting, Settings
from tests.server.raw import exchange, status_and_error
from tests.server.serving import COMPLETIONS, PLAIN, gateway, refusal

BODY = json.dumps(PLAIN).encode()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """A server without client keys, as `coderelay serve` is by default."""
    with gateway(
        "scripted", host="gateway.lan", allow_hosts=("Coderelay", "app.example:3000")
    ) as u:
        yield u


def post(url: str, *headers: str, version: str = "1.1") -> tuple[int, bytes]:
    """What a web page can send without asking: a POST of plain text, with these headers."""
    head = [
        f"POST /v1{COMPLETIONS} HTTP/{version}",
        "Content-Type: text/plain",
        "Connection: close",
        f"Content-Length: {len(BODY)}",
        *headers,
    ]
    answer = exchange(url, ["\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + BODY])[0]
    return int(answer.split()[1]), answer


OUR_HOSTS = [
    "127.0.0.1",
    "127.0.0.1:8700",
    "127.1.2.3:80",
    "localhost",
    "LocalHost:8700",
    "localhost.:8700",
    "web.localhost",
    "[::1]",
    "[::1]:8700",
    "[2001:DB8::1]:8700",
    "192.168.1.5:8700",
    "0.0.0.0:8700",
    "gateway.lan:8700",
    "GATEWAY.LAN.",
    "coderelay:8700",
    "app.example",
]
FOREIGN_HOSTS = [
    "",
    "evil.example",
    "evil.example:8700",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "xlocalhost",
    "localhost@evil.example",
    "localhost:x",
    "localhost:80:80",
    "127.0.0.1/evil",
    "[::1",
    "[::1]evil",
    "[::1%25evil.example]",
    "[evil]",
    "localhost evil",
    "localhost\xff",
    ".",
    ":8700",
    "coderelay.evil",
    "*",
    "x" * 5_000,
]


@pytest.mark.parametrize("host", OUR_HOSTS)
def test_a_client_that_uses_a_name_of_the_server_is_served(server: str, host: str) -> None:
    assert post(server, f"Host: {host}")[0] == 200


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
def test_a_request_for_another_name_is_refused(server: str, host: str) -> None:
    status, answer = post(server, f"Host: {host}")
    assert status == 403
    error = status_and_error(answer)[1]
    assert error["code"] == "foreign_host"
    assert "--allow-host" in error["message"]
    assert len(error["message"]) < 700


def test_the_refusal_says_how_to_allow_the_name(server: str) -> None:
    message = status_and_error(post(server, "Host: Relay.:8700")[1])[1]["message"]
    assert "'Relay.:8700'" in message
    assert "--allow-host relay (or CODERELAY_ALLOW_HOSTS=relay), or with client keys" in message


@pytest.mark.parametrize(
    "origin",
    [
        "http://localhost:3000",
        "https://LOCALHOST",
        "http://127.0.0.1:5173",
        "http://[::1]:3000",
        "http://192.168.1.5:8700",
        "http://app.example",
        "https://app.example:8443",
        "http://gateway.lan",
        "app://coderelay",
    ],
)
def test_a_web_page_of_this_machine_or_of_an_allowed_name_may_use_it(
    server: str, origin: str
) -> None:
    assert post(server, "Host: 192.168.1.5:8700", f"Origin: {origin}")[0] == 200


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "NULL",
        "",
        "file://",
        "http://192.168.1.5:8701",
        "http://192.168.1.5",
        "http://93.184.216.34",
        "http://localhost.evil.example",
        "http://evil.example/http://localhost",
        "http://localhost@evil.example",
        "localhost",
        "http://localhost, http://evil.example",
        "chrome-extension://abcdef",
    ],
)
def test_a_foreign_web_page_is_refused(server: str, origin: str) -> None:
    status, answer = post(server, "Host: 192.168.1.5:8700", f"Origin: {origin}")
    assert status == 403
    assert "--allow-host" in status_and_error(answer)[1]["message"]


def test_a_web_page_whose_name_points_to_this_server_is_refused(server: str) -> None:
    """Its own name stands in both headers: that is what DNS rebinding looks like."""
    assert post(server, "Host: evil.example:8700", "Origin: http://evil.example:8700")[0] == 403


@pytest.mark.parametrize(
    ("headers", "version", "status"),
    [
        ([], "1.1", 400),
        ([], "1.0", 200),
        (["Host: localhost", "Host: localhost"], "1.1", 400),
        (["Host: localhost", "Host: evil.example"], "1.1", 400),
        (["Host: localhost", "Origin: http://localhost", "Origin: http://evil"], "1.1", 400),
    ],
    ids=["none", "none in HTTP/1.0", "twice the same", "two", "two origins"],
)
def test_a_repeated_host_header_is_refused(
    server: str, headers: list[str], version: str, status: int
) -> None:
    assert post(server, *headers, version=version)[0] == status


CLOSED = [(each.method, each.path) for each in paths(DIALECTS) if each.access != "probe"]


@pytest.mark.parametrize(("method", "path"), [*CLOSED, ("GET", "/openapi.json"), ("GET", "/docs")])
def test_every_path_but_probes_is_closed_to_foreign_names(
    http: httpx.Client, server: str, method: str, path: str
) -> None:
    root = server.removesuffix("/v1")
    answer = http.request(method, root + path, headers={"host": "evil.example"})
    assert answer.status_code == 403
    assert "--allow-host evil.example" in answer.json()["error"]["message"]


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_probes_answer_by_any_name(http: httpx.Client, server: str, path: str) -> None:
    headers = {"host": "evil.example", "origin": "https://evil.example"}
    answer = http.get(server.removesuffix("/v1") + path, headers=headers)
    assert answer.status_code in (200, 503)


def test_an_unknown_path_gets_a_404_under_any_host_name(http: httpx.Client, server: str) -> None:
    for host in ("evil.example", "[", "localhost:x"):
        refusal(http.get(f"{server}/nothing", headers={"host": host}), 404)


@pytest.mark.parametrize(
    "settings", [{"client_keys": ("sesame",)}, {"allow_hosts": ("*",)}], ids=["keys", "any"]
)
def test_with_keys_or_by_choice_any_name_is_served(http: httpx.Client, settings: object) -> None:
    headers = {
        "host": "evil.example",
        "origin": "https://evil.example",
        "authorization": "Bearer sesame",
    }
    with gateway("scripted", **settings) as url:  # type: ignore[arg-type]
        assert http.post(url + COMPLETIONS, json=PLAIN, headers=headers).status_code == 200


@pytest.mark.parametrize("name", ["", "a/b", "http://name", "a b", "name:port"])
def test_an_allowed_name_is_a_name(name: str) -> None:
    with pytest.raises(InvalidSetting, match="allow_hosts must be a host name"):
        Settings("scripted", allow_hosts=(name,))


@pytest.mark.parametrize(
    ("netloc", "name"),
    [("A.b.:80", "a.b"), ("[::1]:", "::1"), ("a", "a"), ("a:", "a"), ("[::1", None), ("", None)],
)
def test_a_host_is_read_without_its_port(netloc: str, name: str | None) -> None:
    assert host_name(netloc) == name
