"""`code_mode`, the optional object that steers code mode in every dialect."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from coderelay.conversation import Protocol, Receipt, Unsupported
from coderelay.core import DEFAULT_LIMITS, Json, Limits
from coderelay.dialects.kit.fields import Fields
from coderelay.dialects.kit.program_fields import read_language
from coderelay.languages.language_registry import DEFAULT_LANGUAGE

_MOST_PROGRAMS = 100


@dataclass(frozen=True, slots=True)
class Defaults:
    """What the server was told to do where a request does not say."""

    language: str = DEFAULT_LANGUAGE
    max_programs: int = 8
    limits: Limits = DEFAULT_LIMITS


@dataclass(frozen=True, slots=True)
class Mode:
    """What `code_mode` says, and what holds where it is silent."""

    language: str
    max_programs: int
    receipt: bool
    protocol: Protocol


def read_mode(fields: Fields, defaults: Defaults, *, holds_code: bool) -> Mode:
    """The mode of a request. `holds_code`: programs stand in its history as entries."""
    mode = fields.inner("code_mode", {})
    number = mode.number("max_programs", defaults.max_programs)
    if number < 1:
        raise Unsupported(mode.path("max_programs"), "must be at least 1")
    protocol = mode.text("protocol", "messages" if holds_code else "ids")
    if protocol not in ("ids", "messages"):
        raise Unsupported(mode.path("protocol"), "must be 'ids' or 'messages'")
    return Mode(
        read_language(mode, defaults.language),
        min(number, _MOST_PROGRAMS),
        mode.flag("receipt", False),
        cast(Protocol, protocol),
    )


def receipt_to_json(receipt: Receipt, usage: Mapping[str, Json]) -> dict[str, Json]:
    """A receipt; `usage` is what it measured, in the API's own words."""
    return {
        "programs": receipt.programs,
        "calls": receipt.calls,
        "fuel": receipt.fuel,
        "model_calls": receipt.model_calls,
        "tokens": {"measured": dict(usage), "saved_estimate": receipt.saved},
    }
