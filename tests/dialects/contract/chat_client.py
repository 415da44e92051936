"""A client of Chat Completions; its own shape for programs is the `messages` protocol."""

import json
from collections.abc import Sequence
from typing import Any

from openai.types.chat import ChatCompletion, ChatCompletionChunk

from coderelay.dialects.chat import CHAT_COMPLETIONS
from tests.dialects.contract.client import Client, Failure, Json, Made, Spec
from tests.dialects.contract.strict import unknown_fields
from tests.gateway.driving import assemble


class ChatClient(Client):
    name = "chat"
    dialect = CHAT_COMPLETIONS

    def user(self, text: str) -> list[Json]:
        return [{"role": "user", "content": text}]

    def body(
        self,
        history: list[Json],
        *,
        tools: Sequence[Spec],
        language: str,
        stream: bool,
        choice: Json = None,
        parallel: bool = True,
        **code_mode: Any,
    ) -> Json:
        protocol = "messages" if self.vendor else "ids"
        body: Json = {
            "model": "m",
            "messages": history,
            "tools": [self._tool(spec) for spec in tools],
            "stream": stream,
            "parallel_tool_calls": parallel,
            "code_mode": {"language": language, "protocol": protocol, **code_mode},
        }
        if isinstance(choice, dict):
            choice = {"type": "function", "function": choice}
        return body if choice is None else {**body, "tool_choice": choice}

    def _tool(self, spec: Spec) -> Json:
        function = {"name": spec.name, "parameters": spec.parameters}
        tool: Json = {"type": "function", "function": function}
        tool["allowed_callers"] = list(spec.callers)
        return tool if spec.returns is None else {**tool, "output_schema": spec.returns}

    def assemble(self, events: list[Json]) -> Json:
        return assemble(events)

    def check(self, response: Json) -> None:
        if "chunks" not in response:
            assert unknown_fields(ChatCompletion, response) <= self._own(response)

    def check_event(self, event: Json) -> None:
        assert unknown_fields(ChatCompletionChunk, event) <= self._own(event)

    def _own(self, response: Json) -> set[str]:
        """What a client gets only where it asked for it."""
        if self.vendor:
            return {"choices.messages", "code_mode"}
        return {"code_mode"} if set(response.get("code_mode", {})) == {"receipt"} else set()

    def text(self, response: Json) -> str:
        return response["choices"][0]["message"]["content"] or ""

    def refusal(self, response: Json) -> str | None:
        message = response["choices"][0]["message"]
        assert not (message["content"] and message.get("refusal"))
        refusal: str | None = message.get("refusal")
        return refusal

    def calls(self, response: Json) -> list[Made]:
        made = response["choices"][0]["message"].get("tool_calls", [])
        return [
            Made(call["id"], call["function"]["name"], json.loads(call["function"]["arguments"]))
            for call in made
        ]

    def after(self, history: list[Json], response: Json) -> list[Json]:
        choice = response["choices"][0]
        return [*history, *(choice.get("messages") or [choice["message"]])]

    def answered(
        self, history: list[Json], answers: Sequence[tuple[Made, Json | Failure]]
    ) -> list[Json]:
        return [*history, *(self._answer(made, value) for made, value in answers)]

    def _answer(self, made: Made, value: Json | Failure) -> Json:
        message = {"role": "tool", "tool_call_id": made.id}
        if isinstance(value, Failure):
            return {**message, "content": value.message, "is_error": True}
        return {**message, "content": value if isinstance(value, str) else json.dumps(value)}
