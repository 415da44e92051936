"""The conversation that every client holds: what the model writes, and what the tools answer.

Two rounds of two calls at once, an answer, a follow-up question with one more round, and an answer.
Every number is drawn anew for each run, so that an answer can only come from the tools.
"""

import random
import re
from dataclasses import dataclass, field
from typing import Any

from coderelay.models.scripted_model import ScriptedAnswer

Json = Any

QUESTIONS = ("What are the goods in north and south worth?", "And how many lie in east and west?")
ROUNDS = (2, 4, 4, 6)
"""Calls carried out before each request but the first: a batch is one message."""

_TYPESCRIPT = (
    """\
async function main() {
  const shelves = await Promise.all(
    ["north", "south"].map((warehouse) => getStock({ warehouse })),
  );
  const prices = await Promise.all(shelves.map(({ item }) => getPrice({ item })));
  return { worth: shelves.reduce((sum, { count }, i) => sum + count * prices[i], 0) };
}
""",
    """\
const shelves = await Promise.all(
  ["east", "west"].map((warehouse) => getStock({ warehouse })),
);
return { count: shelves[0].count + shelves[1].count };
""",
)
_TYPESCRIPT_TEXT = (
    """\
const shelves = await Promise.all(
  ["north", "south"].map((warehouse) => getStock({ warehouse })),
);
const prices = await Promise.all(shelves.map(({ item }) => getPrice({ item })));
text(shelves.reduce((sum, { count }, i) => sum + count * prices[i], 0));
""",
    """\
const shelves = await Promise.all(
  ["east", "west"].map((warehouse) => getStock({ warehouse })),
);
text(shelves[0].count + shelves[1].count);
""",
)
_PYTHON = (
    """\
import asyncio

shelves = await asyncio.gather(*(get_stock(warehouse=name) for name in ("north", "south")))
prices = await asyncio.gather(*(get_price(item=shelf["item"]) for shelf in shelves))
worth = sum(shelf["count"] * price for shelf, price in zip(shelves, prices))
print(worth)
{"worth": worth}
""",
    """\
import asyncio

shelves = await asyncio.gather(*(get_stock(warehouse=name) for name in ("east", "west")))
print(shelves[0]["count"] + shelves[1]["count"])
{"count": shelves[0]["count"] + shelves[1]["count"]}
""",
)
PROGRAMS = {"run_typescript": _TYPESCRIPT, "run_python": _PYTHON}
VENDOR_PROGRAMS = {"run_typescript": _TYPESCRIPT_TEXT, "run_python": _PYTHON}

_NUMBER = re.compile(r"\d{5,}")


@dataclass(frozen=True, slots=True)
class Shop:
    """Whose tools they are: what lies where, and what it costs."""

    stock: dict[str, Json] = field(default_factory=lambda: _drawn_stock())
    prices: dict[str, int] = field(default_factory=lambda: _drawn_prices())

    def answer(self, name: str, arguments: Json) -> Json:
        """What a tool gives."""
        if name == "get_stock":
            return self.stock[arguments["warehouse"]]
        return self.prices[arguments["item"]]

    def expected(self) -> tuple[str, str]:
        """What the two answers must hold."""
        shelves = [self.stock["north"], self.stock["south"]]
        worth = sum(shelf["count"] * self.prices[shelf["item"]] for shelf in shelves)
        return str(worth), str(self.stock["east"]["count"] + self.stock["west"]["count"])

    def secrets(self) -> list[str]:
        """What only the program sees, and never the model."""
        counts = [str(shelf["count"]) for shelf in self.stock.values()]
        return counts + [str(price) for price in self.prices.values()]


CALLS = [
    ("get_price", {"item": "chair"}),
    ("get_price", {"item": "lamp"}),
    ("get_stock", {"warehouse": "east"}),
    ("get_stock", {"warehouse": "north"}),
    ("get_stock", {"warehouse": "south"}),
    ("get_stock", {"warehouse": "west"}),
]
"""All calls of the conversation, in alphabetical order."""


def model(body: Json, *, vendor: bool) -> ScriptedAnswer | str:
    """The model: a program for each question, and in words what came of it."""
    *_, last = body["messages"]
    if last["role"] == "tool":
        return f"It comes to {' and '.join(dict.fromkeys(_NUMBER.findall(last['content'])))}."
    programs = VENDOR_PROGRAMS if vendor else PROGRAMS
    question = sum(message["role"] == "user" for message in body["messages"])
    if question > len(QUESTIONS):
        return "I was asked more than there is to ask."
    code = programs[body["tools"][0]["function"]["name"]][question - 1]
    return ScriptedAnswer("I shall look." if question == 1 else "", code=code)


def _drawn() -> int:
    return random.randint(100_000, 999_999)


def _drawn_stock() -> dict[str, Json]:
    items = {"north": "lamp", "south": "chair", "east": "table", "west": "shelf"}
    return {warehouse: {"item": item, "count": _drawn()} for warehouse, item in items.items()}


def _drawn_prices() -> dict[str, int]:
    return {"lamp": _drawn(), "chair": _drawn()}
