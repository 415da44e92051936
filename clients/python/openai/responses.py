import json

from openai import OpenAI
from tools import SCHEMAS, run

client = OpenAI(base_url="http://127.0.0.1:8700/v1", api_key="my-key")
tools = [{"type": "function", **schema} for schema in SCHEMAS]
items = []


def add(output):
    items.extend(output)
    calls = [item for item in output if item.type == "function_call"]
    for call in calls:
        result = run(call.name, json.loads(call.arguments))
        items.append({"type": "function_call_output", "call_id": call.call_id, "output": result})
    return calls


def ask(question):
    items.append({"role": "user", "content": question})
    while True:
        answer = client.responses.create(model="qwen3", input=items, tools=tools, store=False)
        if not add(answer.output):
            return answer.output_text


def stream(question):
    items.append({"role": "user", "content": question})
    calling = True
    while calling:
        with client.responses.stream(
            model="qwen3", input=items, tools=tools, store=False
        ) as events:
            for event in events:
                if event.type == "response.output_text.delta":
                    yield event.delta
            calling = add(events.get_final_response().output)
