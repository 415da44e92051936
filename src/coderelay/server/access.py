"""Checks who may use the server: by the headers `Host` and `Origin`, and by the client's key.

A web page can send requests to every address that its visitor's browser reaches, including this
server, and without client keys they would be served with the operator's key. Browsers send the
page's address in `Origin`, and the server's name in `Host`. A page can make its own domain name
point to this server's address (DNS rebinding), but it cannot fake an IP address in `Host`.

If a header is repeated, a proxy may use the first value and this server the last, which attackers
can exploit. So a repeated one is refused. Keys are compared in constant time.
"""

from collections.abc import Collection, Sequence
from hashlib import sha256
from hmac import compare_digest
from ipaddress import ip_address
from typing import TypeAlias

from coderelay.server.refusals import Foreign, HostMissing, RepeatedHeader, Unauthorized

Headers: TypeAlias = Sequence[tuple[bytes, bytes]]
"""Names in lower case and values, as in ASGI."""


def only(headers: Headers, name: bytes) -> str | None:
    """Return the value of a header, or None if it is missing. Raises `RepeatedHeader` if it occurs
    more than once."""
    values = [value for other, value in headers if other == name]
    if len(values) > 1:
        raise RepeatedHeader(f"the header {name.decode()!r} is there twice: send it once")
    return values[0].decode("latin-1") if values else None


ANY = "*"
"""Allows every name."""
_MAX_QUOTED = 100


class Hosts:
    """The names by which the server may be reached, and whose web pages may use it. If clients need
    `keys`, every name is allowed, because a foreign web page has no key."""

    def __init__(self, names: Collection[str], *, keys: bool) -> None:
        self._names = {host_name(name) for name in names}
        self._open = keys or ANY in names

    def check(self, headers: Headers, http_version: str) -> None:
        """Raise `Foreign` for a request to an unknown name or from a foreign web page."""
        host = only(headers, b"host")
        if host is None and http_version == "1.1":
            raise HostMissing("the header 'Host' is missing: send the server's address in it")
        if self._open:
            return
        if host is not None and not self._is_known(host):
            raise Foreign(
                _refusal(f"for {_quoted(host)}, a name that this server does not know", host)
            )
        origin = only(headers, b"origin")
        if origin is not None and not self._may_use(origin, host):
            page = origin.partition("://")[2]
            raise Foreign(_refusal(f"from the web page of {_quoted(origin)}", page))

    def _is_known(self, host: str) -> bool:
        name = host_name(host)
        return name is not None and (
            name in self._names or _is_localhost(name) or _is_address(name)
        )

    def _may_use(self, origin: str, host: str | None) -> bool:
        """Return whether a web page may use the server: if it comes from this server, from this
        machine, or from an allowed name."""
        page = origin.partition("://")[2]
        name = host_name(page)
        if not name:
            return False
        if host is not None and page.lower() == host.lower():
            return True
        loopback = _is_address(name) and ip_address(name).is_loopback
        return loopback or _is_localhost(name) or name in self._names


def host_name(netloc: str) -> str | None:
    """Return the host in `host` or `host:port`, in lower case, without the brackets of an IPv6
    address and without a dot at its end. Returns None if it is not valid."""
    if netloc.startswith("["):
        name, bracket, rest = netloc[1:].partition("]")
        port = rest.removeprefix(":")
        is_valid = bool(bracket) and _is_address(name) and (rest == "" or rest.startswith(":"))
    else:
        name, _, port = netloc.partition(":")
        is_valid = not any(mark in name for mark in "@/\\?#[] \t")
    if not is_valid or not name or (port and not (port.isascii() and port.isdigit())):
        return None
    return name.lower().removesuffix(".")


def _is_localhost(name: str) -> bool:
    return name == "localhost" or name.endswith(".localhost")


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return "%" not in name  # the zone of an IPv6 address may be any text, even a domain name


def _quoted(header: str) -> str:
    return repr(header[:_MAX_QUOTED])


def _refusal(what: str, netloc: str) -> str:
    name = host_name(netloc[:_MAX_QUOTED]) or "NAME"
    return (
        f"this request is {what}. Without client keys, the server can be reached as localhost, by "
        "an IP address or by its --host only, so that no web page can use it. To allow this, start "
        f"it with --allow-host {name} (or CODERELAY_ALLOW_HOSTS={name}), or with client keys "
        "(--client-key)"
    )


_NAMES = (b"authorization", b"x-api-key", b"api-key")
"""The headers in which a client may send its key; the first one with a key is used."""


class Keys:
    """The client keys. If there are none, everybody may use the server."""

    def __init__(self, keys: Sequence[str]) -> None:
        # Digests all have the same length, so comparing them does not reveal the length of a key.
        self._digests = [sha256(key.encode()).digest() for key in keys]

    def check(self, key: str | None) -> None:
        """Raise `Unauthorized` unless the key is one of the client keys."""
        if not self._digests:
            return
        if key is None:
            raise Unauthorized(
                "the key is missing: send it as 'Authorization: Bearer <key>' or as 'x-api-key'"
            )
        sent = sha256(key.encode()).digest()
        matching = [compare_digest(sent, digest) for digest in self._digests]
        if not any(matching):
            raise Unauthorized("the key is wrong: ask the operator of this server for a client key")


def key_of(headers: Headers) -> str | None:
    """Return the client's key, or None. OpenAI's clients send it as `Authorization`, Anthropic's as
    `x-api-key`, Azure's as `api-key`. Raises `RepeatedHeader` if one of them is repeated."""
    authorization, *plain = (only(headers, name) or "" for name in _NAMES)
    scheme, _, key = authorization.partition(" ")
    if scheme.lower() != "bearer":
        key = next(filter(None, plain), "")
    key = key.strip()
    usable = key.isascii() and key.isprintable()  # others cannot be sent upstream in a header
    return key if key and usable else None
