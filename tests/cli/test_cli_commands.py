"""The other commands, and the help that teaches them."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from coderelay.cli.demo import SAMPLES, examples, programs
from coderelay.languages.language_registry import LANGUAGES

Cli = Callable[..., Result]


def test_declarations_come_from_functions(cli: Cli) -> None:
    result = cli("declare", "--tools", "tools.py")
    assert result.exit_code == 0, result.output
    assert "double" in result.stdout
    assert "Twice a number." in result.stdout


def test_declarations_come_from_json(cli: Cli, folder: Path) -> None:
    tool = {"name": "web_search", "inputSchema": {"type": "object", "properties": {}}}
    (folder / "tools.json").write_text(json.dumps({"tools": [tool]}))
    for language, spelling in (("typescript", "webSearch"), ("python", "web_search")):
        result = cli("declare", "--tools", "tools.json", "--language", language)
        assert result.exit_code == 0, result.output
        assert spelling in result.stdout


def test_declarations_over_the_budget_are_an_index(cli: Cli, folder: Path) -> None:
    tools = [{"name": f"tool_{each}", "description": "A tool. It is long."} for each in range(50)]
    (folder / "tools.json").write_text(json.dumps(tools))
    result = cli("declare", "--tools", "tools.json", "--declaration-tokens", "500")
    assert result.exit_code == 0, result.output
    assert "The index of 50 tools:" in result.stdout
    assert "- tool0: A tool.\n" in result.stdout
    assert "declare function tool0" in cli("declare", "--tools", "tools.json").stdout


def test_an_invalid_tool_is_reported_without_a_traceback(cli: Cli, folder: Path) -> None:
    (folder / "tools.json").write_text('[{"name": "f", "parameters": {"type": "nonsense"}}]')
    result = cli("declare", "--tools", "tools.json")
    assert result.exit_code == 2
    assert "error: " in result.stderr


def test_warmup_says_what_is_ready_and_where(cli: Cli) -> None:
    result = cli("warmup", "--language", "typescript")
    assert result.exit_code == 0, result.output
    assert "typescript is ready, after " in result.stdout
    assert "compiled guests are in " in result.stdout


def test_warmup_without_a_writable_cache_is_an_error(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("warmup", "--language", "typescript")
    monkeypatch.setenv("CODERELAY_CACHE", str(folder / "empty"))
    result = cli("warmup", "--language", "typescript")
    assert result.exit_code == 3
    assert f"nothing could be kept in {folder / 'empty'}" in result.stderr


def test_the_version_is_shown(cli: Cli) -> None:
    result = cli("--version")
    assert result.exit_code == 0
    assert result.stdout.startswith("coderelay ")


@pytest.mark.parametrize("command", ["run", "declare", "warmup", "demo", "chat"])
def test_every_command_has_examples_in_its_help(cli: Cli, command: str) -> None:
    result = cli(command, "--help")
    assert result.exit_code == 0
    assert f"coderelay {command} " in result.stdout.split("Examples")[1]


def test_exit_codes_are_in_the_help(cli: Cli) -> None:
    assert "Exit codes" in cli("run", "--help").stdout


def test_samples_of_all_languages_come_to_the_same(cli: Cli) -> None:
    tools = str(examples() / "tools.py")
    for name in SAMPLES:
        found = []
        for language in LANGUAGES:
            (path,) = (path for path in programs(language) if path.stem == name)
            outcome = json.loads(cli("run", str(path), "--tools", tools, "--json").stdout)
            value = outcome["value"]  # a language's own words may be its keys
            found.append(list(value.values()) if isinstance(value, dict) else value)
        assert all(values == found[0] for values in found)


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
def test_an_interrupt_ends_a_run_at_once_though_a_tool_is_blocked(folder: Path) -> None:
    (folder / "slow.py").write_text(
        "import threading\ndef slow() -> None:\n    threading.Event().wait()\n"
    )
    (folder / "slow.ts").write_text("await slow({})")
    command = [sys.executable, "-u", "-m", "coderelay", "run", "slow.ts", "--tools", "slow.py"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith("→ 0 slow")
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
        assert "error: interrupted" in process.stderr.read()


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("sent.ts", "await send({ to: 'a' });\nawait send({ to: 'b' });\nawait slow({});"),
        ("sent.py", "await send(to='a')\nawait send(to='b')\nawait slow()"),
    ],
)
def test_an_interrupted_run_leaves_a_journal_of_the_calls_that_were_answered(
    folder: Path, name: str, source: str
) -> None:
    (folder / "tools.py").write_text(
        "import threading\ndef send(to: str) -> str:\n    return 'sent'\n"
        "def slow() -> None:\n    threading.Event().wait()\n"
    )
    (folder / name).write_text(source)
    command = [sys.executable, "-u", "-m", "coderelay", "run", name, "--tools", "tools.py"]
    with subprocess.Popen(
        [*command, "--journal", "calls.json"], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        while not process.stdout.readline().startswith("→ 2 slow"):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
    journal = json.loads((folder / "calls.json").read_text())
    assert [entry["arguments"] for entry in journal] == [{"to": "a"}, {"to": "b"}]
    replayed = subprocess.run([*command, "--replay", "calls.json"], check=False)
    assert replayed.returncode == 4
