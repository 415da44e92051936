from agents import ProgrammaticToolCallingTool
from responses import agent, ask, stream

for tool in agent.tools:
    tool.allowed_callers = ["programmatic"]
agent.tools.append(ProgrammaticToolCallingTool())
