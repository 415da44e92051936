"""All that an operator can choose, checked once; nothing else reads flags or the environment."""

import os
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from coderelay.core import DEFAULT_LIMITS, Limits, RequestError
from coderelay.core.limits import KB, MB
from coderelay.declare import DECLARATION_TOKENS, UNDECLARED_ARGUMENTS, UndeclaredArguments
from coderelay.engines.engine_registry import languages
from coderelay.server.hosts import ANY, host_name

SCRIPTED = "scripted"
"""The upstream that is no endpoint: the embedded scripted model."""


LOG_LEVELS = ("debug", "info", "warning", "error")


class InvalidSetting(RequestError):
    """A setting cannot be used; the message names its flag."""


def _cores() -> int:
    return os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class Settings:
    """Counts are for one worker process; times are in seconds."""

    upstream: str
    """Base URL of an OpenAI-compatible endpoint, or `scripted`."""
    upstream_key: str | None = field(default=None, repr=False)
    """Sent upstream in place of the client's key."""
    client_keys: tuple[str, ...] = field(default=(), repr=False)
    """Who may use the server; empty for anybody."""
    host: str = "127.0.0.1"
    port: int = 8700
    workers: int = 1
    threads: int = field(default_factory=_cores)
    """How many programs run at the same time."""
    turns: int = 256
    """How many requests with programs are in progress at the same time, waiting ones included."""
    connections: int = 2_000
    """How many requests of any kind are in progress at the same time."""
    language: str = "typescript"
    max_programs: int = 8
    declaration_tokens: int = DECLARATION_TOKENS
    """How long the declarations of tools may be, by estimate, before an index takes their place."""
    undeclared_arguments: UndeclaredArguments = "refuse"
    """What becomes of a call with an argument that its tool does not declare."""
    headers: int = 64 * KB
    """Bytes of a request before its body."""
    body: int = 64 * MB
    """Bytes of a request's body."""
    allow_hosts: tuple[str, ...] = ()
    """Without client keys: names by which the server may be reached, and of web pages that may use
    it, besides its own; `*` for all."""
    upstream_timeout: float = 600.0
    """How long the upstream may be silent."""
    answer: int = 16 * MB
    """Bytes of an upstream's answer that are kept in memory at once: all of it, or one event."""
    stream: int = 256 * MB
    """Bytes of an upstream's answer that comes as a stream, or that is passed on."""
    keep_alive: float = 15.0
    """How long a stream is silent before it says that it lives."""
    drain: float = 30.0
    """How long requests in progress may take to end when the server is told to."""
    limits: Limits = DEFAULT_LIMITS
    log_level: str = "info"

    def __post_init__(self) -> None:
        if self.upstream != SCRIPTED:
            _check_url(self.upstream)
        if self.language not in languages():
            known = " or ".join(languages())
            raise InvalidSetting(f"--language {self.language!r} is none: choose {known}")
        if self.undeclared_arguments not in UNDECLARED_ARGUMENTS:
            known = " or ".join(UNDECLARED_ARGUMENTS)
            raise InvalidSetting(
                f"--undeclared-arguments {self.undeclared_arguments!r} is unknown: choose {known}"
            )
        if self.log_level not in LOG_LEVELS:
            raise InvalidSetting(
                f"--log-level {self.log_level!r} is none: choose {', '.join(LOG_LEVELS)}"
            )
        for key in (self.upstream_key, *self.client_keys):
            if key is not None and (not key or not key.isascii() or not key.isprintable()):
                raise InvalidSetting("a key is empty or has characters that no header can carry")

        for name in self.allow_hosts:
            if name != ANY and host_name(name) is None:
                raise InvalidSetting(
                    f"--allow-host {name!r} is not a name: give one such as gateway"
                )

    def key_for_upstream(self, client_key: str | None) -> str | None:
        """The server's key, or else the client's; never one that opens this server."""
        if self.upstream_key is not None or self.client_keys:
            return self.upstream_key
        return client_key


def _check_url(url: str) -> None:
    try:
        address = urlsplit(url)
        usable = address.scheme in ("http", "https") and address.hostname and address.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise InvalidSetting(
            f"--upstream {url!r} is no http or https address: "
            "give a base URL such as http://127.0.0.1:11434/v1"
        )
    if address.username or address.password or address.query or address.fragment:
        raise InvalidSetting(
            "--upstream holds more than an address: give the key as --upstream-key, and no query"
        )
