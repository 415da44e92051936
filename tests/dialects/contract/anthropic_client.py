"""A client of Anthropic Messages; its own shape for programs is code execution."""

import json
from collections.abc import Sequence
from typing import Any

from anthropic.types import Message, RawMessageStreamEvent
from anthropic.types.beta import BetaMessage, BetaRawMessageStreamEvent
from anthropic.types.shared import ErrorResponse

from coderelay.dialects.anthropic import ANTHROPIC_MESSAGES
from tests.dialects.contract.client import Client, Failure, Json, Made, Spec
from tests.dialects.contract.strict import unknown_fields

VERSION = "code_execution_20250825"
CODE_EXECUTION: Json = {"type": VERSION, "name": "code_execution"}


class AnthropicClient(Client):
    name = "anthropic"
    dialect = ANTHROPIC_MESSAGES

    def __init__(self, *, vendor: bool = False) -> None:
        super().__init__(vendor=vendor)
        self.languages = ("python",) if vendor else Client.languages

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
        body: Json = {
            "model": "m",
            "max_tokens": 1000,
            "messages": history,
            "tools": [self._tool(spec) for spec in tools],
            "stream": stream,
            "code_mode": {"language": language, **code_mode},
        }
        if self.vendor:
            body["tools"].append(CODE_EXECUTION)
        if choice is not None or not parallel:
            body["tool_choice"] = self._choice(choice, parallel)
        return body

    def _tool(self, spec: Spec) -> Json:
        parameters = spec.parameters or {"type": "object"}
        tool: Json = {"name": spec.name, "input_schema": parameters}
        if self.vendor:
            callers = [each.replace("programmatic", VERSION) for each in spec.callers]
            tool["allowed_callers"] = callers
        elif spec.callers != ("programmatic",):
            tool["allowed_callers"] = list(spec.callers)
        return tool if spec.returns is None else {**tool, "output_schema": spec.returns}

    def _choice(self, choice: Json, parallel: bool) -> Json:
        if isinstance(choice, dict):
            said: Json = {"type": "tool", **choice}
        else:
            said = {"type": {None: "auto", "required": "any"}.get(choice, choice)}
        return said if parallel else {**said, "disable_parallel_tool_use": True}

    def assemble(self, events: list[Json]) -> Json:
        """As the SDK does it: blocks grow by their deltas."""
        assert events[0]["type"] == "message_start" and events[-1]["type"] == "message_stop"
        message: Json = dict(events[0]["message"])
        content: list[Json] = message["content"]
        put_in = ""
        for event in events[1:-1]:
            match event["type"]:
                case "content_block_start":
                    assert event["index"] == len(content)
                    content.append(event["content_block"])
                    put_in = ""
                case "content_block_delta":
                    assert event["index"] == len(content) - 1
                    put_in += _grow(content[-1], event["delta"])
                case "content_block_stop":
                    assert event["index"] == len(content) - 1
                    if put_in:
                        content[-1]["input"] = json.loads(put_in)
                case "message_delta":
                    message.update(event["delta"])
                    message["usage"] = {**message["usage"], **event["usage"]}
                    if "code_mode" in event:
                        message["code_mode"] = event["code_mode"]
                case other:
                    assert other == "ping"
        return message

    def check(self, response: Json) -> None:
        allowed = {"code_mode"} if "code_mode" in response else set()
        assert unknown_fields(Message, response) == allowed
        assert unknown_fields(BetaMessage, response) == allowed
        if not self.vendor:
            types = {block["type"] for block in response["content"]}
            assert types <= {"text", "tool_use"}
            assert not any("caller" in block for block in response["content"])
            assert "container" not in response

    def check_event(self, event: Json) -> None:
        if event["type"] == "ping":  # the SDK knows it by its name alone
            return
        allowed = {"code_mode"} if "code_mode" in event else set()
        assert unknown_fields(RawMessageStreamEvent, event) == allowed
        assert unknown_fields(BetaRawMessageStreamEvent, event) == allowed

    def check_error(self, error: Json) -> None:
        """The SDK's types leave out `details`, and one type of error that the API has."""
        assert set(error) == {"type", "error", "request_id"}
        if error["error"]["type"] != "request_too_large":
            assert unknown_fields(ErrorResponse, error) <= {"error.details"}

    def text(self, response: Json) -> str:
        texts = [block["text"] for block in response["content"] if block["type"] == "text"]
        return "\n\n".join(texts)

    def refusal(self, response: Json) -> str | None:
        return self.text(response) if response["stop_reason"] == "refusal" else None

    def calls(self, response: Json) -> list[Made]:
        return [
            Made(block["id"], block["name"], block["input"])
            for block in response["content"]
            if block["type"] == "tool_use"
        ]

    def after(self, history: list[Json], response: Json) -> list[Json]:
        return [*history, {"role": "assistant", "content": response["content"]}]

    def answered(
        self, history: list[Json], answers: Sequence[tuple[Made, Json | Failure]]
    ) -> list[Json]:
        results = [self._answer(made, value) for made, value in answers]
        return [*history, {"role": "user", "content": results}]

    def _answer(self, made: Made, value: Json | Failure) -> Json:
        block: Json = {"type": "tool_result", "tool_use_id": made.id}
        if isinstance(value, Failure):
            return {**block, "content": value.message, "is_error": True}
        return {**block, "content": value if isinstance(value, str) else json.dumps(value)}


def _grow(block: Json, delta: Json) -> str:
    """Add what a delta brings to its block; pieces of an input are given back."""
    match delta["type"]:
        case "text_delta":
            block["text"] += delta["text"]
        case "thinking_delta":
            block["thinking"] += delta["thinking"]
        case "signature_delta":
            block["signature"] = delta["signature"]
        case "input_json_delta":
            return str(delta["partial_json"])
        case other:
            raise AssertionError(other)
    return ""
