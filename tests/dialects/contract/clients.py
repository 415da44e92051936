"""Every client that the suite runs with."""

from tests.dialects.contract.anthropic_client import AnthropicClient
from tests.dialects.contract.chat_client import ChatClient
from tests.dialects.contract.client import Client
from tests.dialects.contract.responses_client import ResponsesClient

CLIENTS: tuple[Client, ...] = tuple(
    kind(vendor=vendor)
    for kind in (ChatClient, ResponsesClient, AnthropicClient)
    for vendor in (False, True)
)
SPOKEN = [(client, language) for client in CLIENTS for language in client.languages]
"""Each with each language that it can have."""
