import json

from mistralai.client import Mistral
from tools import SCHEMAS, run

client = Mistral(server_url="http://127.0.0.1:8700", api_key="my-key")
tools = [{"type": "function", "function": schema} for schema in SCHEMAS]
messages = []


def add(calls):
    for call in calls or []:
        result = run(call.function.name, json.loads(call.function.arguments))
        messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    return calls


def ask(question):
    messages.append({"role": "user", "content": question})
    while True:
        answer = client.chat.complete(model="qwen3", messages=messages, tools=tools)
        message = answer.choices[0].message
        messages.append(message)
        if not add(message.tool_calls):
            return message.content


def stream(question):
    messages.append({"role": "user", "content": question})
    calls = True
    while calls:
        text, calls = "", []
        for event in client.chat.stream(model="qwen3", messages=messages, tools=tools):
            for choice in event.data.choices:
                calls += choice.delta.tool_calls or []
                text += choice.delta.content or ""
                yield choice.delta.content or ""
        messages.append({"role": "assistant", "content": text, "tool_calls": calls})
        add(calls)
