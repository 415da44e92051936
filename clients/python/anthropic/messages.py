from anthropic import Anthropic
from tools import SCHEMAS, run

client = Anthropic(base_url="http://127.0.0.1:8700", api_key="my-key")
tools = [
    {"name": each["name"], "description": each["description"], "input_schema": each["parameters"]}
    for each in SCHEMAS
]
messages = []


def add(answer):
    messages.append({"role": "assistant", "content": answer.content})
    calls = [block for block in answer.content if block.type == "tool_use"]
    if calls:
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": run(call.name, call.input)}
            for call in calls
        ]
        messages.append({"role": "user", "content": results})
    return calls


def ask(question):
    messages.append({"role": "user", "content": question})
    while True:
        answer = client.messages.create(
            model="qwen3", max_tokens=1000, messages=messages, tools=tools
        )
        if not add(answer):
            return answer.content[-1].text


def stream(question):
    messages.append({"role": "user", "content": question})
    calling = True
    while calling:
        with client.messages.stream(
            model="qwen3", max_tokens=1000, messages=messages, tools=tools
        ) as events:
            yield from events.text_stream
            calling = add(events.get_final_message())
