"""The fixed program that every instance has run before its own, so that the memory that all
programs touch is touched already."""

SOURCE = """\
import asyncio
import json
from collections import Counter, defaultdict


class Row:
    def __init__(self, name, size=0):
        self.name = name
        self.size = size

    @property
    def large(self):
        return self.size > 3


class Table(list):
    def total(self):
        return sum(row.size for row in self if row.large)


async def fetch(number):
    try:
        found = await warm_tool(query=f"number {number}", limit=number)
    except ToolError as error:
        return {"error": error.message}
    return found["items"][0]


def count(names):
    letters = defaultdict(list)
    for name in names:
        letters[name[0]].append(name.strip().upper())
    return dict(letters), Counter("".join(names)).most_common(2)


async def main():
    first, second = await asyncio.gather(fetch(1), fetch(2))
    names = sorted(["one", "two", "three"], key=lambda name: (-len(name), name))
    counts = {name: len(name) for name in names}
    table = Table(Row(name, size) for name, size in counts.items())
    print(f"{len(names)} names", sum(counts.values()), table.total())
    letters, common = count(names)
    return {"first": first, "second": second, "counts": counts, "rows": json.dumps(letters)}


await main()
"""
SETUP = '[[["warm_tool",["warm_tool"],["query","limit"]]],"0",1000000,1000000,1000000]'
RESULTS = '[[0,0,{"items":["a"]}],[1,1,["exception","ToolError","no"]]]'
