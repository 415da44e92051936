from chat import agent, ask, provider, stream
from pydantic_ai.models.openai import OpenAIResponsesModel

agent.model = OpenAIResponsesModel("qwen3", provider=provider)
