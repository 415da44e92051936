"""Reads detailed token counts that an upstream reported."""

from collections.abc import Mapping

from coderelay.conversation import TokenUsage


def detail(usage: TokenUsage, group: str, name: str) -> int:
    """Return a detailed count, such as `cached_tokens` in `prompt_tokens_details`, or 0 if the
    upstream did not report it."""
    counts = usage.details.get(group)
    count = counts.get(name) if isinstance(counts, Mapping) else None
    return count if isinstance(count, int) and not isinstance(count, bool) and count > 0 else 0
