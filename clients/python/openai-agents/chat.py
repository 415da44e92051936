from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI
from tools import run

set_tracing_disabled(True)
client = AsyncOpenAI(base_url="http://127.0.0.1:8700/v1", api_key="my-key")


@function_tool
def get_stock(warehouse: str) -> str:
    """What lies in a warehouse: an item, and how many there are."""
    return run("get_stock", {"warehouse": warehouse})


@function_tool
def get_price(item: str) -> str:
    """What one piece of an item costs, in cents."""
    return run("get_price", {"item": item})


model = OpenAIChatCompletionsModel("qwen3", client)
agent = Agent(name="Clerk", model=model, tools=[get_stock, get_price])
history = []


async def ask(question):
    result = await Runner.run(agent, [*history, {"role": "user", "content": question}])
    history[:] = result.to_input_list()
    return result.final_output


async def stream(question):
    result = Runner.run_streamed(agent, [*history, {"role": "user", "content": question}])
    async for event in result.stream_events():
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
            yield event.data.delta
    history[:] = result.to_input_list()
