"""What is said of an endpoint that answers something that cannot be used."""

from coderelay.conversation import UpstreamError

_SHOWN = 40


def too_long(limit: int, what: str) -> UpstreamError:
    """It sent more than it may."""
    return UpstreamError(
        f"the model's endpoint sent more than {limit:,} bytes, the limit for {what}"
    )


def redirected(status: int) -> UpstreamError:
    """It sends us elsewhere. The operator has chosen the address, so nobody goes there."""
    return UpstreamError(
        f"the model's endpoint answered {status}, a redirect, which is not followed: "
        "the server's --upstream must be the address that it leads to",
        status,
    )


def unknown_coding(coding: str) -> UpstreamError:
    """It packed its answer in a way that we cannot unpack."""
    return UpstreamError(
        f"the model's endpoint answered in the content coding {coding[:_SHOWN]!r}, "
        "which is unknown here: have it answer without one"
    )


def damaged() -> UpstreamError:
    """It packed its answer, and the answer cannot be unpacked."""
    return UpstreamError("the model's endpoint sent a compressed answer that is damaged")
