"""A model that answers from a script, for demos and tests.

    ScriptedModel([ScriptedAnswer(code="return await webSearch({ query: 'x' })"), "There is news."])

How many answers a conversation has already decides which one is next. So the model keeps no state:
a server can be restarted in the middle, and a request that is sent again gets the same answer.
"""

import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from coderelay.conversation import TokenUsage, UpstreamError
from coderelay.core import Json
from coderelay.models.model import (
    CallPiece,
    Delta,
    FinishPiece,
    ModelNamePiece,
    ReasoningPiece,
    RefusalPiece,
    TextPiece,
    UsagePiece,
)

_PIECE = 16


@dataclass(frozen=True, slots=True)
class ScriptedAnswer:
    """One answer: text, a refusal, a program, or tool calls as `(name, arguments)`.

    `arguments` that are a string are sent as they are, and need not be valid JSON.
    """

    text: str = ""
    code: str | None = None
    calls: Sequence[tuple[str, Json]] = ()
    reasoning: str = ""
    finish: str | None = None
    usage: TokenUsage = field(default_factory=lambda: TokenUsage(10, 5, 15))
    refusal: str = ""


Script: TypeAlias = (
    Sequence[ScriptedAnswer | str] | Callable[[Mapping[str, Json]], ScriptedAnswer | str]
)


class ScriptedModel:
    """Answers from a script. `seen` has the bodies of all requests."""

    def __init__(self, script: Script, *, piece: int = _PIECE) -> None:
        self._script = script
        self._piece = piece
        self.seen: list[Mapping[str, Json]] = []

    async def stream(
        self, body: Mapping[str, Json], *, key: str | None
    ) -> AsyncGenerator[Delta, None]:
        """The answer of the script, in pieces."""
        self.seen.append(body)
        answer = self._answer(body)
        if isinstance(answer, str):
            answer = ScriptedAnswer(answer)
        yield ModelNamePiece("scripted")
        for text in self._cut(answer.reasoning):
            yield ReasoningPiece(text)
        for text in self._cut(answer.text):
            yield TextPiece(text)
        for text in self._cut(answer.refusal):
            yield RefusalPiece(text)
        calls = [*_program(answer, body), *answer.calls]
        for place, (name, arguments) in enumerate(calls):
            written = arguments if isinstance(arguments, str) else json.dumps(arguments)
            yield CallPiece(place, id=f"call_{len(body['messages'])}_{place}", name=name)
            for text in self._cut(written):
                yield CallPiece(place, arguments=text)
        yield FinishPiece(answer.finish or ("tool_calls" if calls else "stop"))
        yield UsagePiece(answer.usage)

    def _answer(self, body: Mapping[str, Json]) -> ScriptedAnswer | str:
        if not isinstance(self._script, Sequence):
            return self._script(body)
        answered: int = sum(message.get("role") == "assistant" for message in body["messages"])
        if answered >= len(self._script):
            raise UpstreamError(
                f"the script has no answer {answered + 1}: it has {len(self._script)}"
            )
        return self._script[answered]

    def _cut(self, text: str) -> list[str]:
        return [text[start : start + self._piece] for start in range(0, len(text), self._piece)]


def _program(answer: ScriptedAnswer, body: Mapping[str, Json]) -> list[tuple[str, Json]]:
    """The program as a call of the code tool, by the name that the request has for it."""
    if answer.code is None:
        return []
    offered = [tool["function"]["name"] for tool in body.get("tools", []) if "function" in tool]
    return [(next(iter(offered), "run_code"), {"code": answer.code})]
