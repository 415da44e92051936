"""Many tools behind one, with the openai SDK (Responses): the model writes Python against them.

The answers of the tools stay in variables of the session; the model reads what its code prints.

    OPENAI_API_KEY=… MODEL=gpt-5.1 python session_responses.py
"""

import os

from openai import OpenAI

from coderelay import ToolIsCode

from session_tools import QUESTION, TOOLS, callback

client = OpenAI()
with ToolIsCode(TOOLS, callback) as tic:
    items = [{"role": "user", "content": QUESTION}]
    while True:
        response = client.responses.create(
            model=os.environ.get("MODEL", "gpt-5.1"),
            instructions=tic.instructions,
            tools=tic.tools,
            input=items,
        )
        items += response.output
        outputs = [output for item in response.output if (output := tic.tool_call(item))]
        if not outputs:
            break
        items += outputs
print(response.output_text)
