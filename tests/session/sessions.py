"""A session for tests, with a few tools and a callback that records its calls."""

import json
from collections.abc import Callable
from typing import Any

from coderelay.session import ToolIsCode

Json = Any


def function(name: str, description: str = "", /, **properties: Json) -> dict[str, Json]:
    """A function tool of the Responses API; a property that ends in `_` may be left out."""
    return {
        "type": "function",
        "name": name,
        "description": description,
        "parameters": {
            "type": "object",
            "properties": {key.rstrip("_"): value for key, value in properties.items()},
            "required": [key for key in properties if not key.endswith("_")],
            "additionalProperties": False,
        },
    }


TEXT, NUMBER = {"type": "string"}, {"type": "number"}
PLACE = {"type": "object", "properties": {"lat": NUMBER, "lon": NUMBER}, "required": ["lat"]}
WEATHER = function("get_weather", "The weather of a city. Metric.", city=TEXT, place_=PLACE)
ADD = function("add_numbers", "Add two numbers.", a=NUMBER, b=NUMBER)
ECHO = function("echo", "Give back what was given.", value={})
TOOLS = [WEATHER, ADD, ECHO]


class Answers:
    """A callback that does what the tools say, and keeps all calls."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, str, Json]] = []

    def __call__(self, req_id: str, name: str, arguments: dict[str, Json]) -> Json:
        self.calls.append((req_id, name, arguments))
        match name:
            case "add_numbers":
                return arguments["a"] + arguments["b"]
            case "echo":
                return arguments["value"]
            case _ if arguments.get("city") == "Atlantis":
                raise LookupError("no such city")
            case _:
                return {"city": arguments["city"], "temperature": len(arguments["city"])}


def call(code: Json, **more: Json) -> dict[str, Json]:
    """The item by which a model runs code."""
    arguments = json.dumps({"code": code})
    return {
        "type": "function_call",
        "call_id": "c1",
        "name": "python",
        "arguments": arguments,
        **more,
    }


def run(tic: ToolIsCode, code: str) -> str:
    """What the model reads of a piece of code."""
    output = tic.tool_call(call(code))
    assert output is not None
    assert (output["type"], output["call_id"]) == ("function_call_output", "c1")
    return str(output["output"])


def session(callback: Callable[..., Json] | None = None, **options: Json) -> ToolIsCode:
    """A session with the tools above."""
    given = {"tools": TOOLS, "callback": callback or Answers(), **options}
    return ToolIsCode(**given)
