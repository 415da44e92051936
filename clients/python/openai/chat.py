import json

from openai import OpenAI
from tools import SCHEMAS, run

client = OpenAI(base_url="http://127.0.0.1:8700/v1", api_key="my-key")
tools = [{"type": "function", "function": schema} for schema in SCHEMAS]
messages = []


def add(message):
    messages.append(message)
    for call in message.tool_calls or []:
        result = run(call.function.name, json.loads(call.function.arguments))
        messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    return message.tool_calls


def ask(question):
    messages.append({"role": "user", "content": question})
    while True:
        answer = client.chat.completions.create(model="qwen3", messages=messages, tools=tools)
        if not add(answer.choices[0].message):
            return messages[-1].content


def stream(question):
    messages.append({"role": "user", "content": question})
    calling = True
    while calling:
        with client.chat.completions.stream(
            model="qwen3", messages=messages, tools=tools
        ) as events:
            for event in events:
                if event.type == "content.delta":
                    yield event.delta
            calling = add(events.get_final_completion().choices[0].message)
