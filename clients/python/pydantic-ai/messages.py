from chat import agent, ask, stream
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider

provider = AnthropicProvider(base_url="http://127.0.0.1:8700", api_key="my-key")
agent.model = AnthropicModel("qwen3", provider=provider)
