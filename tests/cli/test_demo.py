"""The demo plays its scenarios through a real server, whatever happens to that server."""

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from coderelay.cli.demo import SAMPLES, examples, programs
from coderelay.cli.demo.client import Client
from coderelay.cli.demo.process import ServerProcess
from coderelay.cli.demo.recorder import Recorder
from coderelay.cli.demo.scenarios import SCENARIOS, scripted
from coderelay.cli.hosting import hold_port, hosted
from coderelay.core import EngineError
from coderelay.languages.language_registry import LANGUAGES
from coderelay.server.app import create_app
from coderelay.server.settings import Settings
from tests.server import hostile as attacks

Cli = Callable[..., Result]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_conversation_survives_the_death_of_the_server(cli: Cli, language: str) -> None:
    result = cli("demo", "--language", language, "--verbose")
    assert result.exit_code == 0, result.output
    crashes = sum(scenario.crash is not None for scenario in SCENARIOS)
    assert result.stdout.count("is dead, in the middle of a program") == crashes
    assert result.stdout.count("knows nothing, and the conversation goes on") == crashes
    assert result.stdout.count("What the model saw") == len(SCENARIOS)
    assert result.stdout.count("Timeline of calls") == len(SCENARIOS)
    assert result.stdout.count("the program rides in it") >= len(SCENARIOS)
    for scenario in SCENARIOS:
        assert scenario.title in result.stdout
        for turn in scenario.turns:
            assert turn.question in result.stdout
            assert turn.answer in result.stdout
    assert "no weather station in Atlantis" in result.stdout


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_story_is_told_in_under_sixty_lines_of_eighty_columns(
    cli: Cli, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    result = cli("demo", "--language", language)
    assert result.exit_code == 0, result.output
    story, _, advice = result.stdout.partition("Try next:")
    assert sum(1 + (len(line) - 1) // 80 for line in result.stdout.rstrip().splitlines()) < 60
    for scenario in SCENARIOS:
        assert all(turn.answer in story for turn in scenario.turns)
    assert story.index('{"query":"sport news"') < story.index('{"query":"international affairs')
    assert story.count("is dead, in the middle of a program") == 2
    assert "coderelay serve --upstream" in advice


def test_a_real_model_is_played_with_in_the_same_way(cli: Cli) -> None:
    recorder = Recorder(scripted("typescript"))  # stands in for one
    with hosted(recorder.app) as address:
        real = ["--upstream", f"{address}/v1", "--model", "qwen3"]
        result = cli("demo", "--language", "typescript", *real)
    assert result.exit_code == 0, result.output
    assert {body["model"] for body in recorder.requests} == {"qwen3"}
    assert SCENARIOS[-1].turns[-1].answer in result.stdout


def test_a_real_model_has_an_endpoint_and_a_name(cli: Cli) -> None:
    result = cli("demo", "--model", "qwen3")
    assert result.exit_code == 2
    assert "--upstream and --model go together" in result.stderr


@pytest.mark.parametrize(
    "what", ["a header line without end", "a body in chunks without end", "an unknown coding"]
)
def test_the_client_of_the_demo_hangs_up_on_a_server_that_sends_without_end(what: str) -> None:
    with attacks.hostile() as endpoint:
        endpoint.begin((attacks.NO_ANSWER | attacks.WITH_A_BODY | attacks.PACKED)[what])
        address = endpoint.url.removesuffix("/v1")
        client = Client(address, "m", (), lambda message: None, lambda batches: None)
        with pytest.raises(EngineError, match="the server failed"):
            asyncio.run(client.ask("Hi?"))
        assert endpoint.sent < 40_000_000


@pytest.mark.parametrize("language", LANGUAGES)
def test_locally_every_sample_is_run_and_replayed_at_every_prefix(cli: Cli, language: str) -> None:
    result = cli("demo", "--local", "--language", language)
    assert result.exit_code == 0, result.output
    assert [path.stem for path in programs(language)] == list(SAMPLES)
    for path in programs(language):
        assert path.name in result.stdout
    assert result.stdout.count("✓ completed") == len(SAMPLES)
    assert result.stdout.count("0 of ") == len(SAMPLES)
    assert "✓ as live" in result.stdout
    assert "✗ not as live" not in result.stdout


def test_the_samples_can_be_saved_once(cli: Cli, folder: Path) -> None:
    result = cli("demo", "--save", "samples")
    assert result.exit_code == 0, result.output
    assert (folder / "samples" / "tools.py").read_bytes() == (examples() / "tools.py").read_bytes()
    assert (folder / "samples" / "parallel_news.ts").is_file()
    result = cli("demo", "--save", "samples")
    assert result.exit_code == 2
    assert "is there already: choose another folder" in result.stderr


def test_the_readme_of_the_examples_links_every_sample() -> None:
    readme = (Path(__file__).parents[2] / "examples" / "README.md").read_text(encoding="utf-8")
    for path in examples().glob("*.*"):
        assert f"(../src/coderelay/examples/{path.name})" in readme


CLIENTS = {"news_openai.py": 0, "stocks_agent.py": 1, "mails_agent.py": 2}


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_to_start_from_plays_its_scenario(name: str) -> None:
    app = create_app(Settings("scripted"), scripted("typescript"))
    with hosted(app) as address:
        done = subprocess.run(
            [sys.executable, str(examples() / name)],
            env={**os.environ, "CODERELAY_URL": f"{address}/v1", "MODEL": "m"},
            capture_output=True,
            text=True,
        )
    assert done.returncode == 0, done.stderr
    for turn in SCENARIOS[CLIENTS[name]].turns:
        assert turn.answer in done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="no other system lets a port be held so")
def test_no_other_program_gets_the_port_of_the_server_while_it_is_dead() -> None:
    with hold_port() as held:
        with socket.socket() as other, pytest.raises(OSError, match="in use"):
            other.bind(held.getsockname())
        for _ in range(2):
            socket.create_server(held.getsockname()).close()


FAILED = """
import http.server, sys

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        print("no guest", flush=True)
        self.send_response(503)
        self.end_headers()
        self.wfile.write(b'{"status": "failed"}')

http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


@pytest.mark.parametrize("code", [FAILED, "print('no guest')"], ids=["never ready", "ended"])
def test_a_server_that_does_not_start_is_reported_with_its_output(code: str) -> None:
    server = ServerProcess("http://127.0.0.1:1/v1", "typescript")
    server._command = [sys.executable, "-c", code, server.address.rpartition(":")[2]]
    with pytest.raises(EngineError, match="did not start:\nno guest"), server:
        pass
