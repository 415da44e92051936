"""Many tools behind one, with the openai SDK (Chat Completions): the model writes Python against them.

The answers of the tools stay in variables of the session; the model reads what its code prints.

    OPENAI_API_KEY=… MODEL=gpt-5.1 python session_chat.py
"""

import os

from openai import OpenAI

from coderelay import ToolIsCode

from session_tools import QUESTION, TOOLS, callback

client = OpenAI()
with ToolIsCode(TOOLS, callback, api="chat") as tic:
    messages = [
        {"role": "system", "content": tic.instructions},
        {"role": "user", "content": QUESTION},
    ]
    while True:
        completion = client.chat.completions.create(
            model=os.environ.get("MODEL", "gpt-5.1"), messages=messages, tools=tic.tools
        )
        message = completion.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            break
        messages += [tic.tool_call(call) for call in message.tool_calls]
print(message.content)
