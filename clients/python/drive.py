"""Hold a conversation with the code of a guide: `drive.py GUIDE whole|streamed QUESTION…`.

Prints a line of JSON for each question: the pieces of the answer, in order.
"""

import asyncio
import importlib
import inspect
import json
import sys
from collections.abc import AsyncIterator
from typing import Any


async def collected(streamed: AsyncIterator[Any]) -> list[Any]:
    """All pieces."""
    return [piece async for piece in streamed]


def pieces(guide: Any, form: str, *, question: str, runner: asyncio.Runner) -> list[str]:
    """The answer in either form, from code that is asynchronous or not."""
    if form == "streamed":
        streamed = guide.stream(question)
        if inspect.isasyncgen(streamed):
            return runner.run(collected(streamed))
        return list(streamed)
    answer = guide.ask(question)
    return [runner.run(answer) if inspect.iscoroutine(answer) else answer]


def main(name: str, form: str, *questions: str) -> None:
    """Ask one question after another."""
    guide = importlib.import_module(name)
    with asyncio.Runner() as runner:
        for question in questions:
            answer = pieces(guide, form, question=question, runner=runner)
            print(json.dumps(answer), flush=True)


main(*sys.argv[1:])
