"""An agent with everything shown as it happens, and a follow-up question.

    coderelay serve --upstream http://127.0.0.1:11434/v1    (in another terminal)
    MODEL=qwen3 python mails_agent.py
"""

import asyncio
import os

from coderelay import Agent
from coderelay.client import Answered, Called, ProgramEnded, ProgramWritten, TextDelta

from tools import get_weather, list_contacts, send_email

QUESTIONS = ("Mail everyone in my contacts today's weather.", "It is bo@example.com. Send him his.")


async def main() -> None:
    agent = Agent(
        os.environ.get("CODERELAY_URL", "http://127.0.0.1:8700/v1"),
        model=os.environ.get("MODEL", "default"),
        api_key=os.environ.get("OPENAI_API_KEY"),
        tools=[list_contacts, get_weather, send_email],
    )
    for question in QUESTIONS:
        print("you:", question)
        async for event in agent.stream(question):
            show(event)
        print()


def show(event) -> None:
    match event:
        case ProgramWritten(program):
            print(f"a program of {len(program.source.splitlines())} lines in {program.language}")
        case Called(call):
            print("→", call.name, call.arguments)
        case Answered(call, result):
            print("←", call.name, result)
        case ProgramEnded(outcome=outcome):
            print("it ended:", outcome)
        case TextDelta(text):
            print(text, end="", flush=True)


asyncio.run(main())
