"""Many tools behind one, with the anthropic SDK: the model writes Python against them.

The answers of the tools stay in variables of the session; the model reads what its code prints.

    ANTHROPIC_API_KEY=… MODEL=claude-sonnet-4-5 python session_anthropic.py
"""

import os

from anthropic import Anthropic

from coderelay import ToolIsCode

from session_tools import QUESTION, TOOLS, callback

client = Anthropic()
with ToolIsCode(TOOLS, callback, api="anthropic") as tic:
    messages = [{"role": "user", "content": QUESTION}]
    while True:
        message = client.messages.create(
            model=os.environ.get("MODEL", "claude-sonnet-4-5"),
            max_tokens=4096,
            system=tic.instructions,
            tools=tic.tools,
            messages=messages,
        )
        messages.append({"role": "assistant", "content": message.content})
        results = [result for block in message.content if (result := tic.tool_call(block))]
        if not results:
            break
        messages.append({"role": "user", "content": results})
print("".join(block.text for block in message.content if block.type == "text"))
