from agents import OpenAIResponsesModel
from chat import agent, ask, client, stream

agent.model = OpenAIResponsesModel("qwen3", client)
