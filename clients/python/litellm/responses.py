import json
import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # fetch no price list

import litellm
from tools import SCHEMAS, run

litellm.suppress_debug_info = True  # print no hints
server = {"model": "openai/qwen3", "api_base": "http://127.0.0.1:8700/v1", "api_key": "my-key"}
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
        answer = litellm.responses(**server, input=items, tools=tools, store=False)
        if not add(answer.output):
            return answer.output[-1].content[0].text


def stream(question):
    items.append({"role": "user", "content": question})
    calling = True
    while calling:
        for event in litellm.responses(
            **server, input=items, tools=tools, store=False, stream=True
        ):
            if event.type == "response.output_text.delta":
                yield event.delta
        calling = add(event.response.output)
