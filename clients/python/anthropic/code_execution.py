from messages import ask, stream, tools

for tool in tools:
    tool["allowed_callers"] = ["code_execution_20260120"]
tools.append({"type": "code_execution_20260120", "name": "code_execution"})
