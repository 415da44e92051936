"""Checks of single settings: each raises `ValueError` with what the value must be."""

from ipaddress import ip_address
from urllib.parse import urlsplit

from coderelay.server.access import ANY, host_name
from coderelay.server.declared_settings import quoted

SCRIPTED = "scripted"
"""The upstream that is not an endpoint: a model that answers by script, to try things out."""


def check_upstream(url: str) -> None:
    """It is the address of an endpoint, or `scripted`."""
    if url == SCRIPTED:
        return
    try:
        address = urlsplit(url)
        usable = address.scheme in ("http", "https") and address.hostname and address.port != 0
    except ValueError:
        usable = False
    if not usable:
        instead = "" if "@" in url else f", not {quoted(url)}"  # it may hold a password
        raise ValueError(
            f"must be an http or https address such as http://127.0.0.1:11434/v1{instead}"
        )
    if address.username or address.password or address.query or address.fragment:
        # not quoted: it may hold a password
        raise ValueError(
            "must be an address alone, without a user, a password, a query or a fragment: "
            "give the key as upstream_key"
        )


def is_own_address(url: str, host: str, port: int) -> bool:
    """Whether a URL leads to the server that listens there: each request would then call the
    server again, without end."""
    if url == SCRIPTED:
        return False
    address = urlsplit(url)
    default = 443 if address.scheme == "https" else 80
    if (address.port or default) != port:
        return False
    name = address.hostname or ""
    return name == host.lower() or (_is_loopback(name) and (_is_loopback(host) or _is_any(host)))


def _is_loopback(name: str) -> bool:
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


def _is_any(host: str) -> bool:
    try:
        return ip_address(host).is_unspecified
    except ValueError:
        return False


def check_key(key: str) -> None:
    """A header can carry it."""
    if not key or not key.isascii() or not key.isprintable():
        raise ValueError("must be a key that a header can carry: printable ASCII, not empty")


def check_host(name: str) -> None:
    """It is the name of a host, or `*`."""
    if name != ANY and host_name(name) is None:
        raise ValueError(
            f"must be a host name such as gateway, without a port, or {ANY}; not {quoted(name)}"
        )
