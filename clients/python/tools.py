"""Your tools: two functions, and what a client without a framework says of them."""

import json
import os
from collections.abc import Callable
from typing import Any
from urllib.request import Request, urlopen


def get_stock(warehouse: str) -> dict[str, Any]:
    """What lies in a warehouse: an item, and how many there are."""
    stock: dict[str, Any] = _answer("get_stock", warehouse=warehouse)
    return stock


def get_price(item: str) -> int:
    """What one piece of an item costs, in cents."""
    price: int = _answer("get_price", item=item)
    return price


def run(name: str, arguments: dict[str, Any]) -> str:
    """What a tool gives, as JSON."""
    return json.dumps(FUNCTIONS[name](**arguments))


def _schema(name: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}


FUNCTIONS: dict[str, Callable[..., Any]] = {"get_stock": get_stock, "get_price": get_price}
SCHEMAS = [
    {"name": "get_stock", "description": "What lies there.", "parameters": _schema("warehouse")},
    {"name": "get_price", "description": "Cents for one.", "parameters": _schema("item")},
]


def _answer(name: str, **arguments: Any) -> Any:
    """The suite answers, and counts."""
    body = json.dumps(arguments).encode()
    headers = {"content-type": "application/json"}
    with urlopen(Request(f"{os.environ['TOOLS_URL']}/{name}", body, headers)) as answer:
        return json.load(answer)
