"""A client without habits, and a server that any test may ask."""

from collections.abc import Iterator

import httpx
import pytest

from tests.server.serving import gateway


@pytest.fixture(scope="module")
def http() -> Iterator[httpx.Client]:
    with httpx.Client(trust_env=False, timeout=120) as client:
        yield client


@pytest.fixture(scope="module")
def scripted() -> Iterator[str]:
    """The base URL of a server with the scripted model."""
    with gateway("scripted", body=200_000) as url:
        yield url
