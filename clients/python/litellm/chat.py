import json
import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # fetch no price list

import litellm
from tools import SCHEMAS, run

litellm.suppress_debug_info = True  # print no hints
server = {"model": "openai/qwen3", "base_url": "http://127.0.0.1:8700/v1", "api_key": "my-key"}
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
        answer = litellm.completion(**server, messages=messages, tools=tools)
        if not add(answer.choices[0].message):
            return messages[-1].content


def stream(question):
    messages.append({"role": "user", "content": question})
    calling = True
    while calling:
        chunks = []
        for chunk in litellm.completion(**server, messages=messages, tools=tools, stream=True):
            chunks.append(chunk)
            yield chunk.choices[0].delta.content or ""
        calling = add(litellm.stream_chunk_builder(chunks).choices[0].message)
