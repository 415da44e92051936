from anthropic import Anthropic, beta_tool
from tools import run

client = Anthropic(base_url="http://127.0.0.1:8700", api_key="my-key")
messages = []


@beta_tool
def get_stock(warehouse: str) -> str:
    """What lies in a warehouse: an item, and how many there are."""
    return run("get_stock", {"warehouse": warehouse})


@beta_tool
def get_price(item: str) -> str:
    """What one piece of an item costs, in cents."""
    return run("get_price", {"item": item})


def runner(question, **options):
    messages.append({"role": "user", "content": question})
    return client.beta.messages.tool_runner(
        model="qwen3",
        max_tokens=1000,
        messages=list(messages),
        tools=[get_stock, get_price],
        **options,
    )


def add(message, running):
    messages.append({"role": "assistant", "content": message.content})
    results = running.generate_tool_call_response()
    if results:
        messages.append(results)


def ask(question):
    running = runner(question)
    for message in running:
        add(message, running)
    return message.content[-1].text


def stream(question):
    running = runner(question, stream=True)
    for events in running:
        yield from events.text_stream
        add(events.get_final_message(), running)
