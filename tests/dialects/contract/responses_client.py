"""A client of Responses; its own shape for programs is OpenAI's programmatic tool calling."""

import json
from collections.abc import Sequence
from typing import Any, get_args

from openai.types.responses import Response, ResponseStreamEvent

from coderelay.dialects.responses import RESPONSES
from tests.dialects.contract.client import Client, Failure, Json, Made, Spec
from tests.dialects.contract.strict import unknown_fields

EVENTS = {
    get_args(event.model_fields["type"].annotation)[0]: event
    for event in get_args(get_args(ResponseStreamEvent)[0])
}
"""The SDK's types of events, by the name that each carries."""


class ResponsesClient(Client):
    name = "responses"
    dialect = RESPONSES

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
            "input": history,
            "tools": [self._tool(spec) for spec in tools],
            "stream": stream,
            "store": False,
            "parallel_tool_calls": parallel,
            "code_mode": {"language": language, **code_mode},
        }
        if self.vendor:
            body["tools"].append({"type": "programmatic_tool_calling"})
        if isinstance(choice, dict):
            choice = {"type": "function", **choice}
        return body if choice is None else {**body, "tool_choice": choice}

    def _tool(self, spec: Spec) -> Json:
        tool: Json = {"type": "function", "name": spec.name, "parameters": spec.parameters}
        if self.vendor or spec.callers != ("programmatic",):
            tool["allowed_callers"] = list(spec.callers)
        return tool if spec.returns is None else {**tool, "output_schema": spec.returns}

    def assemble(self, events: list[Json]) -> Json:
        """As the SDK does it: the last event has the response, and it is what the others told."""
        assert [event["sequence_number"] for event in events] == list(range(len(events)))
        assert events[0]["type"] == "response.created"
        items: list[Json] = []
        texts: dict[str, str] = {}
        for event in events:
            match event["type"]:
                case "response.output_item.added":
                    assert event["output_index"] == len(items)
                    texts[event["item"]["id"]] = ""
                case (
                    "response.output_text.delta"
                    | "response.refusal.delta"
                    | "response.function_call_arguments.delta"
                    | "response.reasoning_summary_text.delta"
                ):
                    texts[event["item_id"]] += event["delta"]
                case "response.output_text.done" | "response.reasoning_summary_text.done":
                    assert event["text"] == texts[event["item_id"]]
                case "response.refusal.done":
                    assert event["refusal"] == texts[event["item_id"]]
                case "response.function_call_arguments.done":
                    assert event["arguments"] == texts[event["item_id"]]
                case "response.output_item.done":
                    items.append(event["item"])
        response = events[-1]["response"]
        assert events[-1]["type"] == f"response.{response['status']}"
        assert response["output"] == items
        return response

    def check(self, response: Json) -> None:
        allowed = {"code_mode"} if "code_mode" in response else set()
        assert unknown_fields(Response, response) == allowed
        if not self.vendor:
            types = {item["type"] for item in response["output"]}
            assert types <= {"message", "function_call", "reasoning"}
            assert not any("caller" in item for item in response["output"])

    def check_event(self, event: Json) -> None:
        allowed = {"response.code_mode"} if "code_mode" in event.get("response", {}) else set()
        assert unknown_fields(EVENTS[event["type"]], event) == allowed

    def text(self, response: Json) -> str:
        return "\n\n".join(
            part["text"]
            for item in response["output"]
            if item["type"] == "message"
            for part in item["content"]
            if part["type"] == "output_text"
        )

    def refusal(self, response: Json) -> str | None:
        (part,) = response["output"][-1]["content"]
        refusal: str | None = part.get("refusal")
        return refusal

    def calls(self, response: Json) -> list[Made]:
        return [
            Made(item["call_id"], item["name"], json.loads(item["arguments"]))
            for item in response["output"]
            if item["type"] == "function_call"
        ]

    def after(self, history: list[Json], response: Json) -> list[Json]:
        return [*history, *response["output"]]

    def answered(
        self, history: list[Json], answers: Sequence[tuple[Made, Json | Failure]]
    ) -> list[Json]:
        callers = {item["call_id"]: item.get("caller") for item in history if "call_id" in item}
        return [*history, *(self._answer(made, value, callers) for made, value in answers)]

    def _answer(self, made: Made, value: Json | Failure, callers: Json) -> Json:
        item: Json = {"type": "function_call_output", "call_id": made.id}
        if callers.get(made.id):
            item["caller"] = callers[made.id]
        if isinstance(value, Failure):
            return {**item, "output": value.message, "status": "incomplete"}
        return {**item, "output": value if isinstance(value, str) else json.dumps(value)}
