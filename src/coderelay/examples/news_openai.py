"""The ordinary tool loop of the openai SDK; only the base URL says that programs are written.

    coderelay serve --upstream http://127.0.0.1:11434/v1    (in another terminal)
    MODEL=qwen3 python news_openai.py
"""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict

from openai import OpenAI

from tools import web_search

client = OpenAI(
    base_url=os.environ.get("CODERELAY_URL", "http://127.0.0.1:8700/v1"),
    api_key=os.environ.get("OPENAI_API_KEY", "none"),
)
tools = [
    {
        "type": "function",
        "function": {
            "name": "web_search",
            "description": "Search the web for recent articles: title, source and summary.",
            "parameters": {
                "type": "object",
                "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}},
                "required": ["query"],
            },
        },
    }
]


def answer(call) -> dict:
    """Run a tool; with is_error its failure is an exception in the program."""
    print("→", call.function.name, call.function.arguments)
    try:
        found = web_search(**json.loads(call.function.arguments))
        content = json.dumps([asdict(article) for article in found])
        return {"role": "tool", "tool_call_id": call.id, "content": content}
    except Exception as error:
        return {"role": "tool", "tool_call_id": call.id, "content": str(error), "is_error": True}


messages = [{"role": "user", "content": "Give me sport news and international affairs news."}]
while True:
    completion = client.chat.completions.create(
        model=os.environ.get("MODEL", "default"), messages=messages, tools=tools
    )
    message = completion.choices[0].message
    messages.append(message)
    if not message.tool_calls:
        break
    with ThreadPoolExecutor() as pool:  # the calls of one message are independent
        messages += pool.map(answer, message.tool_calls)
print(message.content)
