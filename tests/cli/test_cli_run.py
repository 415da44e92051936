"""`coderelay run` runs a program with the functions of a file as its tools."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Cli = Callable[..., Result]

DOUBLES = """
async function main() {
  console.warn("starting");
  const [a, b] = await Promise.all([double({ number: 1 }), double({ number: 2 })]);
  const caught = await refuse({ why: "just so" }).catch((error) => error.message);
  return { sum: a + (await double({ number: b })), caught };
}
"""
RANDOM = "return { random: Math.random(), now: new Date().toISOString() }"


@pytest.fixture
def program(folder: Path) -> Path:
    (folder / "doubles.ts").write_text(DOUBLES)
    return folder / "doubles.ts"


def trace(folder: Path) -> list[str]:
    path = folder / "trace.txt"
    return path.read_text().splitlines() if path.exists() else []


def test_calls_logs_result_and_cost_are_shown(cli: Cli, program: Path) -> None:
    result = cli("run", "doubles.ts", "--tools", "tools.py")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert "warn  starting" in lines[0]
    assert lines[1:3] == ['→ 0 double {"number": 1}', '→ 1 double {"number": 2}']
    assert any(line.startswith("← 1 4  ") and line.endswith(" ms") for line in lines)
    assert any(line.startswith("✗ 2 ValueError: just so  ") for line in lines)
    assert "✓ completed" in lines
    assert '  "sum": 10,' in lines
    assert "4 calls in 3 batches · " in lines[-1]
    assert "fuel" in lines[-1]
    assert "sandbox" in lines[-1]
    assert "tools" in lines[-1]


def test_with_json_the_outcome_is_all_there_is_on_standard_output(cli: Cli, program: Path) -> None:
    result = cli("run", "doubles.ts", "--tools", "tools.py", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {
        "status": "completed",
        "value": {"sum": 10, "caught": "just so"},
        "logs": ["starting"],
    }
    assert "a tool may print" in result.stderr


def test_a_journal_is_written_and_replayed_without_calling_anything(
    cli: Cli, folder: Path, program: Path
) -> None:
    live = cli("run", "doubles.ts", "--tools", "tools.py", "--json", "--journal", "calls.json")
    journal = json.loads((folder / "calls.json").read_text())
    assert [entry["name"] for entry in journal] == ["double", "double", "refuse", "double"]
    assert journal[0] == {"name": "double", "arguments": {"number": 1}, "value": 2}
    assert journal[2]["error"] == {"name": "ValueError", "message": "just so"}
    called = trace(folder)

    replayed = cli("run", "doubles.ts", "--tools", "tools.py", "--json", "--replay", "calls.json")
    assert replayed.exit_code == 0
    assert replayed.stdout == live.stdout
    assert trace(folder) == called


def test_a_replay_needs_declarations_only(cli: Cli, folder: Path, program: Path) -> None:
    cli("run", "doubles.ts", "--tools", "tools.py", "--journal", "calls.json")
    number = {"type": "object", "properties": {"number": {"type": "integer"}}}
    declared = [{"name": "double", "parameters": number}, {"name": "refuse", "parameters": {}}]
    (folder / "tools.json").write_text(json.dumps(declared))
    result = cli("run", "doubles.ts", "--tools", "tools.json", "--replay", "calls.json")
    assert result.exit_code == 0, result.output
    assert "replayed 4 answers" in result.stdout


def test_a_journal_that_ends_early_shows_the_calls_that_wait(
    cli: Cli, folder: Path, program: Path
) -> None:
    answered = [{"name": "double", "arguments": {"number": 1}, "value": 2}]
    (folder / "calls.json").write_text(json.dumps(answered))
    result = cli("run", "doubles.ts", "--tools", "tools.py", "--replay", "calls.json")
    assert result.exit_code == 4
    assert '… waits for 1 call\n→ 1 double {"number": 2}\n' in result.stdout
    assert trace(folder) == []

    result = cli("run", "doubles.ts", "--tools", "tools.py", "--replay", "calls.json", "--json")
    assert result.exit_code == 4
    assert json.loads(result.stdout) == {
        "status": "suspended",
        "calls": [{"index": 1, "name": "double", "arguments": {"number": 2}}],
        "logs": ["starting"],
    }


def test_a_journal_of_another_program_diverges(cli: Cli, folder: Path, program: Path) -> None:
    answered = [{"name": "double", "arguments": {"number": 7}, "value": 14}]
    (folder / "calls.json").write_text(json.dumps(answered))
    result = cli("run", "doubles.ts", "--tools", "tools.py", "--replay", "calls.json")
    assert result.exit_code == 3
    assert 'call 0 diverged: the journal has double({"number":7})' in result.stderr
    assert result.stdout == ""


def test_a_program_that_throws_fails_with_its_place(cli: Cli, folder: Path) -> None:
    (folder / "bad.ts").write_text("const x = 1;\nthrow new RangeError('too far');\n")
    result = cli("run", "bad.ts")
    assert result.exit_code == 1
    assert "✗ failed (exception)" in result.stdout
    assert "RangeError: too far" in result.stdout

    result = cli("run", "bad.ts", "--json")
    assert result.exit_code == 1
    error = json.loads(result.stdout)["error"]
    assert (error["kind"], error["name"], error["line"]) == ("exception", "RangeError", 2)


def test_a_passed_limit_is_named(cli: Cli, folder: Path) -> None:
    (folder / "loop.ts").write_text("while (true) {}")
    result = cli("run", "loop.ts", "--fuel", "50000000")
    assert result.exit_code == 1
    assert "✗ failed (limit: fuel)" in result.stdout


def test_a_program_is_read_from_standard_input(cli: Cli) -> None:
    result = cli("run", "-", "--language", "typescript", "--json", stdin="return 1 + 1")
    assert json.loads(result.stdout)["value"] == 2


def test_id_and_time_are_all_that_chance_depends_on(cli: Cli, folder: Path) -> None:
    (folder / "random.ts").write_text(RANDOM)

    def value(*options: str) -> dict[str, object]:
        found: dict[str, object] = json.loads(cli("run", "random.ts", "--json", *options).stdout)
        assert isinstance(found["value"], dict)
        return found["value"]

    assert value() == value()
    assert value("--id", "a")["random"] != value("--id", "b")["random"]
    assert str(value("--created", "2030-01-02T03:04:05Z")["now"]).startswith("2030-01-02T03:04:05")
    assert str(value("--created", "0")["now"]).startswith("1970-01-01T00:00:00")


def test_a_programs_output_cannot_control_the_terminal(cli: Cli, folder: Path) -> None:
    (folder / "evil.ts").write_text(r"console.log('\x1b[2J\x9b[bold]'); return '\x1b]0;owned\x07'")
    result = cli("run", "evil.ts")
    assert result.exit_code == 0
    assert r"\x1b[2J\x9b[bold]" in result.stdout
    assert not set(result.stdout) & set("\x1b\x9b\x07")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.ts"], "cannot read none.ts: No such file or directory"),
        (["tools.txt"], "the language of tools.txt is not known: name the file .ts,"),
        (
            ["doubles.ts", "--language", "cobol"],
            "unknown language 'cobol': choose",
        ),
        (["doubles.ts", "--tools", "none.py"], "none.py: there is no such file"),
        (["doubles.ts", "--tools", "tools.json"], "tools.json holds no functions"),
        (["doubles.ts", "--replay", "none.json"], "cannot read none.json"),
        (["doubles.ts", "--replay", "doubles.ts"], "doubles.ts: line 2, column 1"),
        (["doubles.ts", "--journal", "a.json", "--replay", "b.json"], "give only one of them"),
        (["doubles.ts", "--journal", "none/a.json"], "there is no folder none"),
        (["doubles.ts", "--created", "yesterday"], "--created 'yesterday' is not a time"),
        (["doubles.ts", "--fuel", "0"], "--fuel"),
        ([], "Missing argument"),
    ],
)
def test_errors_are_reported_without_a_traceback(
    cli: Cli, program: Path, arguments: list[str], message: str
) -> None:
    result = cli("run", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.output
    assert result.stdout == ""


def test_a_broken_journal_is_named_with_its_entry(cli: Cli, folder: Path, program: Path) -> None:
    (folder / "calls.json").write_text('[{"name": "double"}]')
    result = cli("run", "doubles.ts", "--tools", "tools.py", "--replay", "calls.json")
    assert result.exit_code == 2
    assert "calls.json: entry 0 of the journal has no 'arguments'" in result.stderr
