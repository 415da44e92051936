"""The fixed program that every instance has run before its own, so that the memory that all
programs touch is touched already."""

SOURCE = """\
import asyncio
import json


async def fetch(number):
    try:
        found = await warm_tool(query=f"number {number}", limit=number)
    except ToolError as error:
        return {"error": error.message}
    return found["items"][0]


async def main():
    first, second = await asyncio.gather(fetch(1), fetch(2))
    names = sorted(["one", "two", "three"], key=lambda name: (-len(name), name))
    counts = {name: len(name) for name in names}
    print(f"{len(names)} names", sum(counts.values()))
    return {"first": first, "second": second, "counts": counts, "rows": json.dumps(names)}


await main()
"""
SETUP = '[[["warm_tool",["warm_tool"],["query","limit"]]],"0",1000000,1000000,1000000]'
RESULTS = '[[0,0,{"items":["a"]}],[1,1,["exception","ToolError","no"]]]'
