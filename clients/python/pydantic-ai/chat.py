from pydantic_ai import Agent, AgentRunResultEvent, PartDeltaEvent, TextPartDelta
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from tools import get_price, get_stock

provider = OpenAIProvider(base_url="http://127.0.0.1:8700/v1", api_key="my-key")
agent = Agent(OpenAIChatModel("qwen3", provider=provider), tools=[get_stock, get_price])
history = []


def ask(question):
    result = agent.run_sync(question, message_history=history)
    history[:] = result.all_messages()
    return result.output


async def stream(question):
    async with agent.run_stream_events(question, message_history=history) as events:
        async for event in events:
            if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                yield event.delta.content_delta
            if isinstance(event, AgentRunResultEvent):
                history[:] = event.result.all_messages()
