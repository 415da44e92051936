"""All that an operator can choose. To add a setting, add a field: see `declared_settings`."""

import os
from dataclasses import dataclass, field
from typing import Annotated, Literal

from coderelay.conversation import DEFAULT_MAX_PROGRAMS
from coderelay.core import DEFAULT_LIMITS, Limits
from coderelay.core.limits import KB, MB
from coderelay.declare import DECLARATION_TOKENS, UndeclaredArguments
from coderelay.dialects.kit.code_mode import MOST_PROGRAMS
from coderelay.languages.language_registry import DEFAULT_LANGUAGE, LANGUAGES
from coderelay.models.answer_limits import DEFAULT_TIMEOUT, MAX_ANSWER, MAX_STREAM
from coderelay.server.declared_settings import (
    InvalidSetting,
    Setting,
    SettingsTable,
    check,
)
from coderelay.server.setting_checks import (
    SCRIPTED,
    check_host,
    check_key,
    check_upstream,
    is_own_address,
)

__all__ = ["SCRIPTED", "InvalidSetting", "Settings"]

_MODEL, _SERVER, _CLIENTS, _LOGS = "The model", "Address and processes", "Clients", "Logs"
_CAPACITY, _PROGRAMS = "Capacity of each worker process", "Limits of a program"


def _cores() -> int:
    return os.cpu_count() or 1


UNDECLARED = Setting(
    _MODEL,
    "WHAT",
    "What to do with a call that has arguments which its tool does not declare.",
    more="See [arguments](many-tools.md#arguments).",
)
PROGRAM_LIMITS = SettingsTable(
    fuel=Setting(_PROGRAMS, "N", "Fuel that a program may spend in its whole run.", at_least=1),
    step_fuel=Setting(
        _PROGRAMS,
        "N",
        "Fuel that it may spend between two batches of results.",
        at_least=1,
    ),
    memory=Setting(
        _PROGRAMS,
        "MB",
        "Memory that it may use.",
        at_least=1,
        unit=MB,
        default="what the language needs",
        example=64,
    ),
    seconds=Setting(
        _PROGRAMS,
        "SECONDS",
        "Processor time that one step may take. Fuel normally ends a program first.",
        at_least=0.001,
    ),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a server. Sizes are in bytes, times in seconds."""

    upstream: Annotated[
        str,
        Setting(
            _MODEL,
            "URL",
            "Base URL of the model's endpoint, which must be OpenAI-compatible; "
            "or 'scripted', to try things out without a model.",
            more="A request cannot choose another.",
            check=check_upstream,
            variables=("OPENAI_BASE_URL",),
            example="http://127.0.0.1:11434/v1",
        ),
    ]
    upstream_key: Annotated[
        str | None,
        Setting(
            _MODEL,
            "KEY",
            "Key for the model's endpoint.",
            more="See [keys](#keys).",
            check=check_key,
            secret=True,
            variables=("OPENAI_API_KEY",),
            default="each client's own key is passed on",
            example="sk-…",
        ),
    ] = field(default=None, repr=False)
    upstream_timeout: Annotated[
        float,
        Setting(
            _MODEL,
            "SECONDS",
            "How long the model's endpoint may send nothing before the request fails.",
            at_least=0.1,
        ),
    ] = DEFAULT_TIMEOUT
    max_answer: Annotated[
        int,
        Setting(
            _MODEL,
            "MB",
            "Largest answer of the model that is not streamed, and largest event of a stream.",
            at_least=1,
            unit=MB,
        ),
    ] = MAX_ANSWER
    max_stream: Annotated[
        int,
        Setting(
            _MODEL,
            "MB",
            "Largest answer of the model that is streamed, or that is passed on unread.",
            at_least=1,
            unit=MB,
        ),
    ] = MAX_STREAM
    language: Annotated[
        str,
        Setting(
            _MODEL,
            "NAME",
            "Language in which the model writes programs, unless a request names another.",
            choices=LANGUAGES,
        ),
    ] = DEFAULT_LANGUAGE
    max_programs: Annotated[
        int,
        Setting(
            _MODEL,
            "N",
            "How many programs the model may write in one turn.",
            at_least=1,
            at_most=MOST_PROGRAMS,
        ),
    ] = DEFAULT_MAX_PROGRAMS
    declaration_tokens: Annotated[
        int,
        Setting(
            _MODEL,
            "N",
            "How many tokens, by estimate, the declarations of tools may take. "
            "Beyond that the model gets an index and a search.",
            more="See [many tools](many-tools.md).",
            at_least=100,
        ),
    ] = DECLARATION_TOKENS
    undeclared_arguments: Annotated[UndeclaredArguments, UNDECLARED] = "refuse"

    host: Annotated[
        str, Setting(_SERVER, "NAME", "Address to listen on; 0.0.0.0 for all addresses.")
    ] = "127.0.0.1"
    port: Annotated[
        int,
        Setting(
            _SERVER, "N", "Port to listen on; 0 for any free port.", at_least=0, at_most=65_535
        ),
    ] = 8700
    workers: Annotated[int, Setting(_SERVER, "N", "Number of worker processes.", at_least=1)] = 1
    drain: Annotated[
        float,
        Setting(
            _SERVER,
            "SECONDS",
            "How long requests in progress may still take after SIGTERM.",
            at_least=0,
        ),
    ] = 30.0

    client_keys: Annotated[
        tuple[str, ...],
        Setting(
            _CLIENTS,
            "KEY",
            "A key that opens the server: clients must send one of them.",
            more="See [keys](#keys).",
            check=check_key,
            secret=True,
            flag="--client-key",
            default="anybody may use the server",
            example=["key-of-one-client", "key-of-another"],
        ),
    ] = field(default=(), repr=False)
    allow_hosts: Annotated[
        tuple[str, ...],
        Setting(
            _CLIENTS,
            "NAME",
            "Without client keys: one more name by which the server may be reached, or of a web "
            "page that may use it; '*' for any name.",
            more="See [names](#names).",
            check=check_host,
            flag="--allow-host",
            default="localhost, IP addresses and the host setting",
            example=["gateway"],
        ),
    ] = ()
    max_headers: Annotated[
        int,
        Setting(
            _CLIENTS,
            "KB",
            "Largest headers of a request.",
            more="There may be 256 of them.",
            at_least=1,
            unit=KB,
        ),
    ] = 64 * KB
    max_body: Annotated[
        int, Setting(_CLIENTS, "MB", "Largest body of a request.", at_least=1, unit=MB)
    ] = 64 * MB
    keep_alive: Annotated[
        float,
        Setting(
            _CLIENTS,
            "SECONDS",
            "How long a stream may be silent before a comment line is sent to keep it open.",
            at_least=0.01,
        ),
    ] = 15.0

    threads: Annotated[
        int,
        Setting(
            _CAPACITY,
            "N",
            "How many programs run at the same time.",
            at_least=1,
            default="one for each core",
            example=4,
        ),
    ] = field(default_factory=_cores)
    turns: Annotated[
        int,
        Setting(
            _CAPACITY,
            "N",
            "How many requests with programs may be in progress; one more gets a 503.",
            at_least=1,
        ),
    ] = 256
    connections: Annotated[
        int,
        Setting(
            _CAPACITY,
            "N",
            "How many requests of any kind may be in progress; one more gets a 503.",
            at_least=1,
        ),
    ] = 2_000

    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        Setting(
            _LOGS,
            "NAME",
            "Least severe level that is logged.",
            more="See [logs](#logs).",
        ),
    ] = "info"

    limits: Annotated[Limits, PROGRAM_LIMITS] = DEFAULT_LIMITS

    def __post_init__(self) -> None:
        check(self)
        if self.port and is_own_address(self.upstream, self.host, self.port):
            raise InvalidSetting(
                f"the upstream {self.upstream} is the address of this server itself: give the "
                "address of the model's endpoint with --upstream (OPENAI_BASE_URL is read only "
                "if nothing else names one)"
            )

    def key_for_upstream(self, client_key: str | None) -> str | None:
        """The key to send to the model's endpoint: the server's own, or else the client's. A key
        that opens this server is never sent on."""
        if self.upstream_key is not None or self.client_keys:
            return self.upstream_key
        return client_key
