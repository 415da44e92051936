"""A setting is declared once; flags, variables, files, checks and documentation follow from it."""

import os
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import httpx
import pytest
import typer
from typer.testing import CliRunner

from coderelay.cli.commands import app
from coderelay.cli.setting_flags import command_line_flags, with_setting_flags
from coderelay.core import Limits
from coderelay.core.alternatives import alternatives
from coderelay.core.limits import MB
from coderelay.languages.language_registry import LANGUAGES
from coderelay.server import Settings
from coderelay.server.declared_settings import (
    DeclaredSetting,
    InvalidSetting,
    Setting,
    SettingsTable,
    check,
    declared,
)
from coderelay.server.setting_sources import resolve
from coderelay.server.settings_text import documentation, example_file, in_force
from scripts import generated_docs
from tests.server.serving import CODE, COMPLETIONS, PLAIN, process

ALL = declared(Settings)
FLAGS = """
--upstream --upstream-key --upstream-timeout --max-answer --max-stream --language --max-programs
--declaration-tokens --undeclared-arguments --host --port --workers --drain --client-key
--allow-host --max-headers --max-body --keep-alive --threads --turns --connections --fuel
--step-fuel --memory --seconds --log-level
"""
"""Flags that people have in their scripts: more may come, none may go."""


def loaded(
    folder: Path, file: str = "", *, env: dict[str, str] | None = None, **flags: Any
) -> Settings:
    """The settings that flags, environment and a file come to."""
    path = folder / "relay.toml"
    path.write_text(file, "utf-8")
    flags.setdefault("upstream", "scripted")
    return resolve(Settings, flags=flags, environment=env or {}, file=path).build()


def another(setting: DeclaredSetting) -> object:
    """A value, as a file would have it, that is not the default."""
    if setting.about.example is not None:
        return setting.about.example
    if setting.choices:
        return list(setting.choices)[-1]
    written = setting.written(setting.default)
    return written + 1 if isinstance(written, int | float) else "other"


def toml(setting: DeclaredSetting, value: object) -> str:
    entry = f"{setting.name} = {str(value).lower() if isinstance(value, bool) else repr(value)}\n"
    return f"[{setting.table}]\n{entry}" if setting.table else entry


def value_of(settings: Settings, setting: DeclaredSetting) -> object:
    holder = getattr(settings, setting.table) if setting.table else settings
    return setting.written(getattr(holder, setting.name))


BY_KEY = pytest.mark.parametrize("setting", ALL, ids=lambda each: each.key)


@BY_KEY
def test_a_setting_is_read_from_its_flag_its_variables_and_the_file(
    setting: DeclaredSetting, tmp_path: Path
) -> None:
    value = another(setting)
    if setting.about.secret:  # the example is shortened with a character that no header carries
        value = ["one", "two"] if setting.kind is tuple else "one"
    text = " ".join(value) if isinstance(value, list) else str(value)
    upstream: dict[str, str] = {} if setting.required else {"CODERELAY_UPSTREAM": "scripted"}

    def read(file: str = "", env: Any = (), flags: Any = ()) -> object:
        path = tmp_path / "relay.toml"
        path.write_text(file, "utf-8")
        environment = {**upstream, **dict(env)}
        found = resolve(Settings, flags=dict(flags), environment=environment, file=path)
        return value_of(found.build(), setting)

    assert read(flags={setting.name: value if setting.kind is tuple else text}) == value
    for variable in setting.variables:
        assert read(env={variable: text}) == value
    assert read(toml(setting, value)) == value
    if not setting.required:
        assert read() == setting.written(setting.default)


@BY_KEY
def test_the_variable_of_a_setting_is_the_prefix_and_its_name(setting: DeclaredSetting) -> None:
    assert setting.variables[0] == f"CODERELAY_{setting.name.upper()}"


@BY_KEY
def test_a_setting_is_explained_in_whole_sentences(setting: DeclaredSetting) -> None:
    assert setting.about.help.endswith(".")
    assert not set("[]`*") & set(setting.about.help.replace("'*'", "")), "no markup"
    if setting.default is None or setting.default == () or setting.required:
        assert setting.about.example is not None, "the example file needs one"


def test_flags_and_variables_are_unique_and_none_has_gone() -> None:
    flags = [flag for each in ALL for flag in each.flags]
    variables = [variable for each in ALL for variable in each.variables]
    assert len(flags) == len(set(flags))
    assert len(variables) == len(set(variables))
    assert set(FLAGS.split()) <= set(flags)
    assert {"OPENAI_BASE_URL", "OPENAI_API_KEY"} <= set(variables)


def test_a_flag_goes_before_the_environment_and_that_before_the_file(tmp_path: Path) -> None:
    file = "port = 1\nworkers = 2\ndrain = 3\nclient_keys = ['a', 'b']\n[limits]\nmemory = 64\n"
    env = {"CODERELAY_PORT": "4", "CODERELAY_WORKERS": "5", "CODERELAY_CLIENT_KEYS": "c"}
    found = loaded(tmp_path, file, env=env, port="6")
    assert (found.port, found.workers, found.drain, found.turns) == (6, 5, 3.0, 256)
    assert found.client_keys == ("c",)
    assert found.limits == Limits(memory=64 * MB)


def test_our_own_variable_goes_before_one_of_another_project(tmp_path: Path) -> None:
    env = {"OPENAI_API_KEY": "theirs"}
    assert loaded(tmp_path, env=env).upstream_key == "theirs"
    env["CODERELAY_UPSTREAM_KEY"] = "ours"
    assert loaded(tmp_path, env=env).upstream_key == "ours"


def test_the_file_goes_before_a_variable_of_another_project(tmp_path: Path) -> None:
    file = 'upstream_key = "of the file"'
    env = {"OPENAI_API_KEY": "theirs", "OPENAI_BASE_URL": "http://theirs/v1"}
    found = loaded(tmp_path, file, env=env)
    assert found.upstream_key == "of the file"
    env["CODERELAY_UPSTREAM_KEY"] = "ours"
    assert loaded(tmp_path, file, env=env).upstream_key == "ours"


@pytest.mark.parametrize(
    "url", ["htps://me:hunter2@host/v1", "http://me:hunter2@host:99999/v1", "me:hunter2@host:80/v1"]
)
def test_a_password_in_an_upstream_that_is_refused_is_not_shown(url: str) -> None:
    with pytest.raises(InvalidSetting) as refused:
        resolve(Settings, flags={"upstream": url}, environment={})
    assert "must be an http or https address" in str(refused.value)
    assert "hunter2" not in str(refused.value)


def test_an_empty_variable_counts_as_not_set_and_an_empty_flag_as_no_key(tmp_path: Path) -> None:
    env = {"CODERELAY_PORT": "", "CODERELAY_UPSTREAM_KEY": "", "OPENAI_API_KEY": "theirs"}
    assert loaded(tmp_path, env=env).port == 8700
    assert loaded(tmp_path, env=env).upstream_key == "theirs"
    assert loaded(tmp_path, env=env, upstream_key="").upstream_key is None


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("prot = 1", "relay.toml has an unknown key 'prot': did you mean 'port'?"),
        ("max-body = 1", "unknown key 'max-body': did you mean 'max_body'?"),
        ("client_key = 'k'", "unknown key 'client_key': did you mean 'client_keys'?"),
        ("fuel = 1", "unknown key 'fuel': did you mean 'fuel' in the table [limits]?"),
        ("[limits]\nport = 1", "unknown key 'limits.port': did you mean 'port'?"),
        ("[limits]\nfule = 1", "'limits.fule': did you mean 'fuel' in the table [limits]?"),
        ("zzz = 1", "unknown key 'zzz': coderelay serve --print-config shows all keys"),
        ("limits = 1", "limits in {file} must be a table: write [limits] above its keys"),
        ("port = '80'", "port in {file} must be a whole number from 0 to 65535, not '80'"),
        ("port = true", "port in {file} must be a whole number from 0 to 65535, not True"),
        ("port = 80.0", "port in {file} must be a whole number from 0 to 65535, not 80.0"),
        ("drain = -1", "drain in {file} must be a number, at least 0, not -1"),
        ("drain = inf", "drain in {file} must be a number, at least 0, not inf"),
        ("max_body = -5", "must be a whole number of MB, at least 1, not -5"),
        (f"drain = 1{'0' * 400}", "drain in {file} must be a number, at least 0, not 100"),
        ("max_body = 0", "max_body in {file} must be a whole number of MB, at least 1, not 0"),
        ("host = 127", "host in {file} must be text, not 127"),
        ("language = 'perl'", f"must be {alternatives(LANGUAGES)}, not 'perl'"),
        ("log_level = 'all'", "must be debug, info, warning or error, not 'all'"),
        ("undeclared_arguments = 'no'", "must be refuse or allow, not 'no'"),
        ("allow_hosts = 'a'", "allow_hosts in {file} must be a list of texts, not 'a'"),
        ("allow_hosts = [1]", "allow_hosts in {file} must be a list of texts, not [1]"),
        ("allow_hosts = ['a b']", "must be a host name such as gateway, without a port, or *"),
        ("[limits]\nfuel = 0", "limits.fuel in {file} must be a whole number, at least 1, not 0"),
        ("port = ", "{file} is not valid TOML: Invalid value (at"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_key_and_file(
    file: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidSetting) as caught:
        loaded(tmp_path, file)
    assert message.format(file=tmp_path / "relay.toml") in str(caught.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidSetting, match=r"cannot read the configuration file .*missing.toml"):
        resolve(Settings, flags={}, environment={}, file=tmp_path / "missing.toml")
    path = tmp_path / "relay.toml"
    path.write_bytes(b"host = '\xff'")
    with pytest.raises(InvalidSetting, match=r"relay.toml is not UTF-8 text: byte 8"):
        resolve(Settings, flags={}, environment={}, file=path)


def test_a_file_may_begin_with_the_mark_that_windows_editors_write(tmp_path: Path) -> None:
    assert loaded(tmp_path, "\ufeffport = 7").port == 7


def test_an_error_names_the_flag_or_the_variable_that_was_used(tmp_path: Path) -> None:
    with pytest.raises(InvalidSetting, match=r"^--port must be a whole number from 0 .* not '1x'"):
        loaded(tmp_path, port="1x")
    with pytest.raises(InvalidSetting, match=r"^CODERELAY_PORT must be a whole .*, not 'tcp://"):
        loaded(tmp_path, env={"CODERELAY_PORT": "tcp://10.0.0.1:8700"})
    with pytest.raises(InvalidSetting, match=r"^OPENAI_BASE_URL must be an http or https address"):
        resolve(Settings, flags={}, environment={"OPENAI_BASE_URL": "localhost:80"})


def test_an_error_never_quotes_a_secret_and_cuts_what_is_long(tmp_path: Path) -> None:
    for file in ("upstream_key = 12345", "client_keys = [12345]", "client_keys = ['123é']"):
        with pytest.raises(InvalidSetting) as caught:
            loaded(tmp_path, file)
        assert "123" not in str(caught.value)
    with pytest.raises(InvalidSetting) as caught:
        loaded(tmp_path, upstream="http://user:word@host/v1")
    assert "word@" not in str(caught.value)
    with pytest.raises(InvalidSetting) as caught:
        loaded(tmp_path, port="9" * 5_000)
    assert len(str(caught.value)) < 250


def test_a_setting_that_must_be_given_is_missed_with_all_ways_to_give_it() -> None:
    with pytest.raises(InvalidSetting) as caught:
        resolve(Settings, flags={}, environment={}).build()
    assert str(caught.value) == (
        "upstream is missing: give --upstream, CODERELAY_UPSTREAM or OPENAI_BASE_URL, "
        "or a configuration file with this key"
    )


def serve(*arguments: str, **env: str) -> Any:
    """`coderelay serve`, without the variables of this machine."""
    unset = {name: None for name in os.environ if name.startswith(("OPENAI", "CODERELAY"))}
    return CliRunner().invoke(app, ["serve", *arguments], env={**unset, **env})


def test_what_is_in_force_is_printed_with_its_origins_and_without_secrets(tmp_path: Path) -> None:
    path = tmp_path / "relay.toml"
    path.write_text("upstream_key = 'sk-1'\nallow_hosts = ['a', 'b']\n[limits]\nfuel = 5\n")
    done = serve("--config", str(path), "--port", "0", "--print-config", CODERELAY_WORKERS="2")
    assert done.exit_code == 0, done.output
    lines = {re.split(" = | is |:", line)[0]: line for line in done.stdout.splitlines() if line}
    assert lines["port"].split("  # ")[1] == "--port"
    assert lines["workers"].split("  # ")[1] == "CODERELAY_WORKERS"
    assert lines["fuel"].split("  # ")[1] == str(path)
    assert lines["turns"].split("  # ")[1] == "default"
    assert lines["# upstream"] == "# upstream is missing: it must be given"
    assert lines["# upstream_key"].startswith("# upstream_key is set, and not shown")
    assert "sk-1" not in done.output
    shown = tomllib.loads(done.stdout)  # it can be used as a file
    assert (shown["port"], shown["workers"], shown["limits"]["fuel"]) == (0, 2, 5)
    assert shown["allow_hosts"] == ["a", "b"]


def test_the_file_may_be_named_in_the_environment(tmp_path: Path) -> None:
    path = tmp_path / "relay.toml"
    path.write_text("port = 7")
    done = serve("--print-config", CODERELAY_CONFIG=str(path))
    assert f"port = 7  # {path}" in re.sub(" +#", "  #", done.stdout)
    path.write_text("prot = 7")
    done = serve("--print-config", CODERELAY_CONFIG=str(path))
    assert done.exit_code == 2
    assert "did you mean 'port'?" in done.stderr


def test_the_documentation_and_the_example_file_are_up_to_date() -> None:
    for path, text in generated_docs.generated().items():
        assert path.read_text("utf-8") == text, f"{path.name} is out of date: run `make docs`"


def test_the_example_file_has_every_key_with_its_default(tmp_path: Path) -> None:
    active = re.sub(r"^#(\w+ = )", r"\1", generated_docs.EXAMPLE.read_text("utf-8"), flags=re.M)
    values = tomllib.loads(active)
    for setting in ALL:
        value = (values[setting.table] if setting.table else values).pop(setting.name)
        if setting.about.example is None:
            assert value == setting.written(setting.default)
    assert values == {"limits": {}}
    (tmp_path / "relay.toml").write_text(active.replace("sk-…", "sk-1"), "utf-8")
    resolve(Settings, flags={}, environment={}, file=tmp_path / "relay.toml").build()


def test_a_server_process_takes_settings_from_all_sources(tmp_path: Path) -> None:
    path = tmp_path / "relay.toml"
    path.write_text("upstream = 'scripted'\nport = 1\nmax_body = 1\nclient_keys = ['not-this']\n")
    env = {"CODERELAY_CLIENT_KEYS": "k1 k2"}
    with process("--config", str(path), env=env) as server:
        url = server.ready() + COMPLETIONS  # the flag --port 0 goes before the file's port 1
        headers = {"authorization": "Bearer k2"}
        with httpx.Client(trust_env=False, timeout=None) as http:
            assert http.post(url, json=PLAIN, headers=headers).status_code == 200
            wrong = {"authorization": "Bearer not-this"}
            assert http.post(url, json=PLAIN, headers=wrong).status_code == 401
            large = {**CODE, "padding": "x" * MB}
            assert http.post(url, json=large, headers=headers).status_code == 413


@dataclass(frozen=True, slots=True)
class ToyLimits:
    depth: int = 3


@dataclass(frozen=True, slots=True)
class ToySettings:
    """A setting, and a table with one: nothing else is needed for them to work."""

    colour: Annotated[
        Literal["red", "blue"],
        Setting("Looks", "NAME", "Colour of the toy.", aliases=("--color",), variables=("COLOUR",)),
    ] = "red"
    toy: Annotated[
        ToyLimits, SettingsTable(depth=Setting("Size", "N", "Depth of the toy.", at_least=1))
    ] = ToyLimits()

    def __post_init__(self) -> None:
        check(self)


def test_a_setting_that_is_added_by_one_entry_works_everywhere(tmp_path: Path) -> None:
    toys = typer.Typer()
    seen: list[ToySettings] = []
    path = tmp_path / "toy.toml"
    path.write_text("[toy]\ndepth = 5\n")

    @toys.command()
    @with_setting_flags(ToySettings)
    def play(context: typer.Context, **flags: object) -> None:
        flags_given = command_line_flags(context, flags)
        found = resolve(ToySettings, flags=flags_given, environment=os.environ, file=path)
        seen.append(found.build())

    for arguments, env in ((["--color", "blue"], {}), ([], {"COLOUR": "blue"})):
        assert CliRunner().invoke(toys, arguments, env=env).exit_code == 0
    assert seen == [ToySettings("blue", ToyLimits(5))] * 2
    shown = CliRunner().invoke(toys, ["--help"]).output
    assert "Colour of the toy: red or blue." in shown
    assert "CODERELAY_COLOUR" in shown
    with pytest.raises(InvalidSetting, match=r"^toy\.depth must be a whole number, at least 1"):
        ToySettings(toy=ToyLimits(0))
    settings = declared(ToySettings)
    assert "| `toy.depth` | `--depth` | `CODERELAY_DEPTH` | 3 | Depth" in documentation(settings)
    assert '# Colour of the toy: red or blue.\n#colour = "red"' in example_file(settings)
    entries = resolve(ToySettings, flags={}, environment={}).entries
    assert tomllib.loads(in_force(entries)) == {"colour": "red", "toy": {"depth": 3}}


@pytest.mark.parametrize(
    ("upstream", "host", "port"),
    [
        ("http://127.0.0.1:8700/v1", "127.0.0.1", 8700),
        ("http://localhost:8700/v1", "0.0.0.0", 8700),
        ("http://[::1]:8700", "127.0.0.1", 8700),
        ("http://gateway/v1", "Gateway", 80),
    ],
)
def test_a_server_cannot_be_its_own_upstream(upstream: str, host: str, port: int) -> None:
    with pytest.raises(InvalidSetting, match="address of this server itself"):
        Settings(upstream=upstream, host=host, port=port)


@pytest.mark.parametrize(
    ("upstream", "host", "port"),
    [
        ("http://127.0.0.1:11434/v1", "127.0.0.1", 8700),
        ("http://model:8700/v1", "0.0.0.0", 8700),
        ("https://127.0.0.1/v1", "127.0.0.1", 80),
        ("scripted", "127.0.0.1", 8700),
        ("http://127.0.0.1:8700/v1", "127.0.0.1", 0),
    ],
)
def test_another_server_can_be_the_upstream(upstream: str, host: str, port: int) -> None:
    assert Settings(upstream=upstream, host=host, port=port).upstream == upstream


def test_the_settings_in_force_are_valid_toml_whatever_a_value_holds(tmp_path: Path) -> None:
    file = tmp_path / "a\nb.toml"
    file.write_text('host = "a\\u007f\\n\\u0001\\U0001f600b"\n', "utf-8")
    flags = {"upstream": "scripted"}
    entries = resolve(Settings, flags=flags, environment={}, file=file).entries
    assert tomllib.loads(in_force(entries))["host"] == "a\x7f\n\x01\U0001f600b"
