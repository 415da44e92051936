"""Schemas and arguments that are costly to check, each of a size up to 1."""

import sys
import time
from collections.abc import Callable
from typing import Any

from coderelay.core import Call, Raised, Tool, Work
from coderelay.declare import ToolHost, check_tools, names

Made = tuple[dict[str, Any], dict[str, Any]]
"""A schema for the parameters of a tool, and arguments."""


def one(schema: Any, value: Any) -> Made:
    """A tool with one parameter."""
    return {"type": "object", "properties": {"a": schema}}, {"a": value}


def each(schema: Any, *items: Any, times: float = 1) -> Made:
    """A tool that takes a list, and a long one."""
    return one({"type": "array", "items": schema}, list(items) * int(times))


def deep(depth: int, value: Any) -> Any:
    for _ in range(depth):
        value = {"c": value}
    return value


def nested(depth: int, value: Any) -> Any:
    for _ in range(depth):
        value = [value]
    return value


def web(size: float) -> Made:
    """Schemas that lead to each other in three ways at each level."""
    inner = {"properties": {"c": {"$ref": "#/$defs/n"}}, "required": ["c"]}
    options = [{**inner, "minProperties": 1}, inner, {**inner, "maxProperties": 5}]
    schema, arguments = one({"$ref": "#/$defs/n"}, deep(int(200 * size), {"z": 1}))
    return {**schema, "$defs": {"n": {"anyOf": options}}}, arguments


def union(count: int) -> dict[str, Any]:
    """A choice between objects that differ in a constant."""
    return {
        "anyOf": [
            {
                "type": "object",
                "properties": {"k": {"const": number}, "v": {"type": "string"}},
                "required": ["k", "v"],
            }
            for number in range(count)
        ]
    }


def named(count: float, prefix: str = "property_") -> dict[str, Any]:
    """So many properties."""
    return {f"{prefix}{number:05}": {"type": "string"} for number in range(int(count))}


def overlapping(size: float) -> Made:
    """Choices between the same large types, each with an option of its own."""
    count = int(1_000 * size)
    options = [{"$ref": "#/$defs/x"}, {"$ref": "#/$defs/y"}]
    own: list[Any] = [{"properties": {f"own{number}": {}}} for number in range(count)]
    large = {"x": {"properties": named(4_000)}, "y": {"properties": named(4_000)}}
    properties = {f"p{number}": {"anyOf": [*options, each]} for number, each in enumerate(own)}
    return {"properties": properties, "$defs": large}, {name: {} for name in properties}


def subsets(size: float) -> Made:
    """Names that match different ones of twelve patterns, all of one large type."""
    letters = "abcdefghijkl"
    patterns = {each: {"$ref": "#/$defs/x", "title": each} for each in letters}
    many = {"dependentRequired": {"zz": [f"n{number}" for number in range(40_000)]}}
    names = [
        "".join(letter for place, letter in enumerate(letters) if number >> place & 1)
        for number in range(1, int(1_000 * size))
    ]
    schema, arguments = one({"patternProperties": patterns}, {name: {} for name in names})
    return {**schema, "$defs": {"x": many}}, arguments


def conditional(size: float) -> Made:
    """Properties that each name those of one large type in a condition."""
    count = int(2_000 * size)
    condition = {"if": {"$ref": "#/$defs/x"}, "properties": {"u": {}}}
    schema = {
        "properties": {f"p{number}": dict(condition) for number in range(count)},
        "$defs": {"x": {"properties": named(5_000)}},
    }
    return schema, {f"p{number}": {"property_00001": "x"} for number in range(count)}


DATES = "^\\d{4}-\\d{2}-\\d{2}$"
BACKTRACKING = "(?=a)(a|a|aa)+(?=c)b"
CASES: dict[str, Callable[[float], Made]] = {
    "items that lack 20 fields": lambda size: one(
        {"items": {"required": [f"r{number}" for number in range(20)]}},
        [{} for _ in range(int(60_000 * size))],
    ),
    "490,000 numbers for strings": lambda size: each({"type": "string"}, 1, times=490_000 * size),
    "490,000 numbers that fit": lambda size: each({"type": "number"}, 1, times=490_000 * size),
    "20,000 values for an enum of 20,000": lambda size: one(
        {"items": {"enum": [f"value{number}" for number in range(20_000)]}},
        [f"vaule{number}" for number in range(int(20_000 * size))],
    ),
    "objects for an enum of 15,000 objects": lambda size: each(
        {"enum": [{"v": number} for number in range(15_000)]}, {"v": -1}, times=20_000 * size
    ),
    "2,000 items for a choice of 500": lambda size: each(
        {"anyOf": [{"type": "string", "minLength": number} for number in range(500)]},
        1,
        times=2_000 * size,
    ),
    "2,000 objects for a choice of 500": lambda size: each(
        union(500), {"k": 1_000, "v": "x"}, times=2_000 * size
    ),
    "3,000 objects that fit all of 300 options": lambda size: each(
        {"oneOf": [{"properties": {"a": {"type": "string"}}} for _ in range(300)]},
        {"a": "x"},
        times=3_000 * size,
    ),
    "2,000 texts for 500 patterns": lambda size: each(
        {"allOf": [{"pattern": f"^a.*b{number % 10}?"} for number in range(500)]},
        "ab" * 20,
        times=2_000 * size,
    ),
    "a misspelt property among 5,000": lambda size: (
        {"properties": named(5_000 * size)},
        {"propetry_00001": "x"},
    ),
    "5,000 properties missing, and 5,000 misspelt": lambda size: (
        {"properties": named(5_000 * size), "required": [*named(5_000 * size)]},
        named(5_000 * size, "propetry_"),
    ),
    "a wrong type among 5,000 properties": lambda size: (
        {"properties": named(5_000 * size)},
        {"property_00001": 1},
    ),
    "unique objects": lambda size: one(
        {"uniqueItems": True}, [{"b": [number]} for number in range(int(80_000 * size))]
    ),
    "unique integers of 4,200 digits": lambda size: one(
        {"uniqueItems": True}, [10**4_200 + number for number in range(int(200 * size))]
    ),
    "unique integers that hash alike": lambda size: one(
        {"uniqueItems": True}, [number * (2**61 - 1) for number in range(1, int(30_000 * size))]
    ),
    "unique lists of numbers that hash alike": lambda size: one(
        {"uniqueItems": True, "items": {"anyOf": [{"maxItems": most} for most in range(20)]}},
        [
            [-1 - (number >> place & 1) for place in range(13)]
            for number in range(int(8_000 * size))
        ],
    ),
    "an enum of integers that hash alike": lambda size: one(
        {"enum": [number * (2**61 - 1) for number in range(1, int(25_000 * size))]}, 5
    ),
    "schemas that lead to each other": web,
    "200 patterns for 40,000 names": lambda size: one(
        {"patternProperties": {f"a{number}$": {} for number in range(200)}},
        {f"a{number}": 1 for number in range(int(40_000 * size))},
    ),
    "5,000 dependent schemas": lambda size: each(
        {"dependentSchemas": {name: {"required": ["z"]} for name in named(5_000)}},
        {"b": 1},
        times=40_000 * size,
    ),
    "lists that lack what they should contain": lambda size: each(
        {"contains": {"enum": list(range(10_000))}}, [-1] * 100, times=2_000 * size
    ),
    "names for a pattern with a large count": lambda size: one(
        {"propertyNames": {"pattern": "^[a-z]{1,1000}[0-9]$"}},
        {f"{'a' * 20}{number}": 1 for number in range(int(25_000 * size))},
    ),
    "a constant of 20,000 values": lambda size: each(
        {"const": list(range(20_000))}, list(range(20_000)), times=8 * size
    ),
    "300 constants that are objects": lambda size: each(
        {"anyOf": [{"const": {"k": number, "l": [1] * 90}} for number in range(300)]},
        {"k": 999, "l": [1] * 90},
        times=2_000 * size,
    ),
    "a long text for a pattern with a large count": lambda size: one(
        {"pattern": "(a|b)*a(a|b){10000}c"}, "ab" * int(450_000 * size)
    ),
    "a long text for 200 patterns": lambda size: one(
        {"allOf": [{"pattern": f"(a|b)*a(a|b){{{number}}}c"} for number in range(200)]},
        "ab" * int(450_000 * size),
    ),
    "a long text for a lookahead at each letter": lambda size: one(
        {"pattern": "^(?:(?=[^b]*c)a)*$"}, "a" * int(900_000 * size) + "c"
    ),
    "a text for a lookahead in a lookahead": lambda size: one(
        {"pattern": "^(?:(?=(?:(?=[^b]*c)a)*)a)*$"}, "a" * int(4_000 * size) + "c"
    ),
    "20,000 texts for a pattern that backtracks": lambda size: each(
        {"pattern": BACKTRACKING}, "a" * 30, times=20_000 * size
    ),
    "20,000 texts of a format": lambda size: each(
        {"format": "email"}, "a" * 30, times=20_000 * size
    ),
    "multiples of a tiny number": lambda size: each(
        {"multipleOf": 1e-300}, 10**4_200, times=200 * size
    ),
    "150,000 multiples of a tenth": lambda size: each(
        {"multipleOf": 0.1}, 1.5, times=150_000 * size
    ),
    "properties that no option looked at": lambda size: each(
        {
            "anyOf": [{"properties": {f"p{number}": {}}} for number in range(100)],
            "unevaluatedProperties": False,
        },
        {"p1": 1, "p2": 2, "z": 1},
        times=30_000 * size,
    ),
    "what none of 4,000 dependent schemas looked at": lambda size: each(
        {
            "dependentSchemas": {name: {"properties": {"z": {}}} for name in named(4_000)},
            "unevaluatedProperties": {"type": "integer"},
        },
        {"y": 1},
        times=8_000 * size,
    ),
    "what no schema looked at, beside 20,000 words of no meaning": lambda size: each(
        {**dict.fromkeys(named(20_000), 1), "unevaluatedProperties": {"type": "integer"}},
        {"y": 1},
        times=8_000 * size,
    ),
    "30,000 properties that no schema looked at in 150 that refer to each other": lambda size: (
        {
            "$ref": "#/$defs/d0",
            "unevaluatedProperties": {"type": "integer"},
            "$defs": {
                f"d{number}": {"$ref": f"#/$defs/d{(number + 1) % 150}"} for number in range(150)
            },
        },
        {f"p{number}": 1 for number in range(int(30_000 * size))},
    ),
    "60,000 objects with a property that is not declared": lambda size: each(
        {"properties": {"x": {}}}, {"y": 1}, times=60_000 * size
    ),
    "100,000 lists in lists, of a schema that is in itself": lambda size: (
        {
            "properties": {"a": {"$ref": "#/$defs/t"}},
            "$defs": {"t": {"items": {"$ref": "#/$defs/t"}, "properties": {"x": {}}}},
        },
        {"a": [[[], []] for _ in range(int(100_000 * size))]},
    ),
    "2,000 lists for a tuple of 20,000": lambda size: each(
        {"type": "array", "prefixItems": [{} for _ in range(20_000)]}, [], times=2_000 * size
    ),
    "1,000 lists for a tuple of 2,000 lists of objects": lambda size: each(
        {"prefixItems": [{"items": {"properties": {"x": {}}}} for _ in range(2_000)]},
        [[{}]],
        times=1_000 * size,
    ),
    "16,000 objects for a choice of 2,900 that name the same property": lambda size: each(
        {"anyOf": [{"properties": {"p": {"items": {}}}} for _ in range(2_900)]},
        {"p": {}},
        times=16_000 * size,
    ),
    "1,000 names that match different patterns": subsets,
    "1,000 choices between the same large types": overlapping,
    "2,000 conditions on one large type": conditional,
    "320,000 objects, all declared": lambda size: each(
        {"properties": {"x": {}}}, {}, times=320_000 * size
    ),
    "80,000 lists of lists, 200 deep": lambda size: (
        {
            "properties": {"a": {"$ref": "#/$defs/t"}},
            "$defs": {
                "t": {"anyOf": [{"items": {"$ref": "#/$defs/t"}}, {"properties": {"x": {}}}]}
            },
        },
        {"a": nested(200, [[[]] for _ in range(int(80_000 * size))])},
    ),
    "a text of a megabyte for a number": lambda size: one(
        {"type": "integer"}, "x" * int(1_000_000 * size)
    ),
}


def checked(made: Made, language: str = "typescript") -> tuple[str | None, int]:
    """What is wrong with the arguments, and the fuel that finding out costs."""
    schema, arguments = made
    tools = [Tool("t", "", schema)]
    check_tools(tools)
    work = Work()
    answer = ToolHost(tools, names(tools, language), language).answer(Call(0, "t", arguments), work)
    return (answer.error.message if isinstance(answer, Raised) else None), work.fuel


def main() -> None:
    """Print, for each case, the seconds of CPU that it took; then by how many MB all of them made
    this process grow at most."""
    import resource

    made = {name: CASES[name](1) for name in sys.argv[1:] or CASES}
    checked(one({"type": "string"}, "x"))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for name, case in made.items():
        start = time.thread_time()
        checked(case)
        print(f"{time.thread_time() - start:.3f}\t{name}")
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"{grown / (1024 if sys.platform == 'linux' else 1024 * 1024):.0f}")


if __name__ == "__main__":
    main()
