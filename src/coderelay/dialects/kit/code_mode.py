"""Reads `code_mode`, the optional object in requests of every dialect that configures code mode."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from coderelay.conversation import DEFAULT_MAX_PROGRAMS, Protocol, Receipt, Unsupported
from coderelay.core import DEFAULT_LIMITS, Json, Limits
from coderelay.dialects.kit.fields import Fields
from coderelay.dialects.kit.program_fields import read_language
from coderelay.languages.language_registry import DEFAULT_LANGUAGE

MOST_PROGRAMS = 100
"""Programs that a model may write in one turn, whatever a request or a setting says."""


@dataclass(frozen=True, slots=True)
class Defaults:
    """The server's settings for what a request does not say."""

    language: str = DEFAULT_LANGUAGE
    max_programs: int = DEFAULT_MAX_PROGRAMS
    limits: Limits = DEFAULT_LIMITS


@dataclass(frozen=True, slots=True)
class Mode:
    """The settings of one request: its `code_mode`, and the defaults for what that does not say."""

    language: str
    max_programs: int
    receipt: bool
    protocol: Protocol


def read_mode(fields: Fields, defaults: Defaults, *, has_programs: bool) -> Mode:
    """Return the settings of a request. `has_programs` means that its history contains programs,
    which makes `messages` the default protocol."""
    mode = fields.inner("code_mode", {})
    number = mode.number("max_programs", defaults.max_programs)
    if not 1 <= number <= MOST_PROGRAMS:
        raise Unsupported(mode.path("max_programs"), f"must be from 1 to {MOST_PROGRAMS}")
    protocol = mode.text("protocol", "messages" if has_programs else "ids")
    if protocol not in ("ids", "messages"):
        raise Unsupported(mode.path("protocol"), "must be 'ids' or 'messages'")
    return Mode(
        read_language(mode, defaults.language),
        number,
        mode.flag("receipt", False),
        cast(Protocol, protocol),
    )


def receipt_to_json(receipt: Receipt, usage: Mapping[str, Json]) -> dict[str, Json]:
    """Return a receipt as JSON; `usage` is the token usage in the API's own format."""
    return {
        "programs": receipt.programs,
        "calls": receipt.calls,
        "fuel": receipt.fuel,
        "model_calls": receipt.model_calls,
        "tokens": {"measured": dict(usage), "saved_estimate": receipt.saved},
    }
