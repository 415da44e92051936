"""A conversation in the terminal, with the gateway embedded or elsewhere."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from typer.testing import Result

from coderelay.cli.demo.recorder import Recorder
from coderelay.cli.hosting import hosted
from coderelay.models.scripted_model import Script, ScriptedAnswer, ScriptedModel
from coderelay.server.app import create_app
from coderelay.server.settings import Settings

Cli = Callable[..., Result]
Host = Callable[[Script], tuple[str, Recorder]]

DOUBLES = ScriptedAnswer(
    "One moment.",
    code="console.log('at work');\n"
    "return await Promise.all([double({ number: 1 }), double({ number: 2 })]);",
)
FAILS = ScriptedAnswer(code="await refuse({ why: 'just so' });")


@pytest.fixture
def upstream() -> Iterator[Host]:
    """The address of a scripted endpoint, and what it is shown."""
    with ExitStack() as stack:

        def host(script: Script) -> tuple[str, Recorder]:
            recorder = Recorder(ScriptedModel(script))
            return stack.enter_context(hosted(recorder.app)) + "/v1", recorder

        yield host


def test_the_program_each_call_and_the_answer_are_shown(cli: Cli, upstream: Host) -> None:
    address, _ = upstream([DOUBLES, "They are 2 and 4."])
    options = ["--upstream", address, "--model", "m", "--tools", "tools.py"]
    result = cli("chat", *options, stdin="Double 1 and 2.\n")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0] == "› Double 1 and 2."
    assert lines[1] == "One moment."
    assert lines[2].startswith("program ")
    assert lines[2].endswith(" (typescript)")
    assert "console.log('at work');" in result.stdout
    assert '→ 0 double {"number": 1}' in lines
    assert '→ 1 double {"number": 2}' in lines
    assert any(line.startswith("← 1 4 ") for line in lines)
    assert lines[-3:] == ["log   at work", "✓ completed [2, 4]", "They are 2 and 4."]


def test_a_talk_of_several_questions_is_one_conversation(cli: Cli, upstream: Host) -> None:
    address, recorder = upstream([FAILS, "It refused.", "As I said."])
    options = ["--upstream", address, "--model", "m", "--tools", "tools.py"]
    result = cli("chat", *options, "--system", "Be brief.", stdin="Go.\n\nWhat?")
    assert result.exit_code == 0, result.output
    assert "✗ 0 ValueError: just so" in result.stdout
    assert "✗ failed (exception)" in result.stdout
    assert result.stdout.splitlines()[-2:] == ["› What?", "As I said."]
    roles = [message["role"] for message in recorder.requests[-1]["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "user"]


def test_programs_can_be_in_python(cli: Cli, upstream: Host) -> None:
    address, _ = upstream([ScriptedAnswer(code="await double(number=4)"), "Eight."])
    options = ["--upstream", address, "--model", "m", "--tools", "tools.py"]
    result = cli("chat", *options, "--language", "python", stdin="Double 4.\n")
    assert result.exit_code == 0, result.output
    assert "(python)" in result.stdout
    assert "✓ completed 8" in result.stdout


def test_a_running_server_will_do(cli: Cli) -> None:
    app = create_app(Settings("scripted", client_keys=("sesame",)), ScriptedModel([DOUBLES, "Ok."]))
    with hosted(app) as address:
        options = ["--server", f"{address}/v1", "--model", "m", "--tools", "tools.py"]
        result = cli("chat", *options, "--key", "sesame", stdin="Double 1 and 2.\n")
        assert result.exit_code == 0, result.output
        assert result.stdout.splitlines()[-1] == "Ok."
        assert "✓ completed [2, 4]" in result.stdout
        refused = cli("chat", *options, "--key", "guess", stdin="Double 1 and 2.\n")
        assert refused.exit_code == 3
        assert "error: 401" in refused.stderr


def test_an_endpoint_that_is_not_ours_gets_plain_calls(cli: Cli, upstream: Host) -> None:
    address, recorder = upstream([ScriptedAnswer(calls=[("double", {"number": 4})]), "Eight."])
    options = ["--server", address, "--model", "m", "--tools", "tools.py"]
    result = cli("chat", *options, stdin="Double 4.\n")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[-1] == "Eight."
    assert "code_mode" not in recorder.requests[0]


def test_without_a_model_the_error_says_what_to_set(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CODERELAY_UPSTREAM", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    result = cli("chat", "--model", "m", stdin="Hi.\n")
    assert result.exit_code == 2
    assert "--upstream http://127.0.0.1:11434/v1" in result.stderr


def test_a_models_text_cannot_control_the_terminal(cli: Cli, upstream: Host) -> None:
    address, _ = upstream(["\x1b[2J\x1b]0;gotcha\x07"])
    result = cli("chat", "--upstream", address, "--model", "m", stdin="Hi.\n")
    assert result.exit_code == 0, result.output
    assert "\x1b" not in result.stdout
    assert "\\x1b[2J" in result.stdout


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_in_a_terminal_the_talk_goes_on_after_an_error(folder: Path, upstream: Host) -> None:
    address, _ = upstream(["Hello."])  # the script ends after one answer
    command = [sys.executable, "-m", "coderelay", "chat", "--server", address, "--model", "m"]
    leader, follower = os.openpty()
    with subprocess.Popen(
        command, stdin=follower, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        os.close(follower)
        os.write(leader, b"Hi.\nAnd?\nStill there?\n\x04")
        printed, _ = process.communicate()
    os.close(leader)
    assert process.returncode == 0, printed
    assert "Hello." in printed
    assert printed.count("the script has no answer 2: it has 1") == 2
