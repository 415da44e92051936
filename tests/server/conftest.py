"""A client without habits, and a server that any test may ask."""

from collections.abc import Iterator

import httpx
import openai
import pytest

from tests.server.serving import Upstream, gateway, served


@pytest.fixture(scope="module")
def http() -> Iterator[httpx.Client]:
    with httpx.Client(trust_env=False, timeout=None) as client:
        yield client


@pytest.fixture(scope="module")
def scripted() -> Iterator[str]:
    """The base URL of a server with the scripted model."""
    with gateway("scripted", max_body=200_000) as url:
        yield url


@pytest.fixture(scope="module")
def upstream() -> Iterator[tuple[Upstream, str]]:
    """An endpoint of a model, whose script each test sets, and its base URL."""
    model = Upstream(lambda body: "unset")
    with served(model.app()) as url:
        yield model, url


@pytest.fixture(scope="module")
def client(upstream: tuple[Upstream, str]) -> Iterator[openai.OpenAI]:
    """An `openai` client of a server in front of that endpoint."""
    with (
        gateway(upstream[1]) as url,
        openai.OpenAI(base_url=url, api_key="sk-client", max_retries=0) as client,
    ):
        yield client
