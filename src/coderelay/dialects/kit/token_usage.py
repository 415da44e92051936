"""Token counts that an upstream reported in its own words."""

from collections.abc import Mapping

from coderelay.conversation import TokenUsage


def detail(usage: TokenUsage, group: str, name: str) -> int:
    """A count among the details, such as `cached_tokens` in `prompt_tokens_details`; 0 where the
    upstream did not report it."""
    counts = usage.details.get(group)
    count = counts.get(name) if isinstance(counts, Mapping) else None
    return count if isinstance(count, int) and not isinstance(count, bool) and count > 0 else 0
