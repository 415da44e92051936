"""The same programs in every language, for the suite that every engine must pass."""

PROGRAMS: dict[str, dict[str, str]] = {
    "sequence": {
        "typescript": "const a = await lookUp({ key: 'a' });\nreturn await lookUp({ key: a });",
        "python": "a = await look_up(key='a')\nawait look_up(key=a)",
    },
    "parallel": {
        "typescript": "return await Promise.all([lookUp({ key: 'a' }), lookUp({ key: 'b' })]);",
        "python": "import asyncio\nawait asyncio.gather(look_up(key='a'), look_up(key='b'))",
    },
    "loop": {
        "typescript": "async function main() {\n  const out = [];\n"
        "  for (let i = 0; i < 3; i++) out.push(await lookUp({ key: `k${i}` }));\n  return out;\n}",
        "python": "async def main():\n    return [await look_up(key=f'k{i}') for i in range(3)]",
    },
    "caught failure": {
        "typescript": "try {\n  await lookUp({ key: 'fail' });\n} catch (error) {\n"
        "  return [error.name, error.message];\n}",
        "python": "try:\n    await look_up(key='fail')\nexcept ToolError as error:\n"
        "    result = ['ToolError', error.message]\nresult",
    },
    "uncaught failure": {
        "typescript": "const a = 1;\n\nawait lookUp({ key: 'fail' });",
        "python": "a = 1\n\nawait look_up(key='fail')",
    },
    "catches everything": {
        "typescript": "for (;;) {\n  try { return await lookUp({ key: 'a' }); } catch { }\n}",
        "python": "async def main():\n  while True:\n    try:\n"
        "      return await look_up(key='a')\n    except BaseException:\n      pass",
    },
    "never awaited": {
        "typescript": "lookUp({ key: 'a' }).then((a) => lookUp({ key: a + '!' }));\n'done'",
        "python": "import asyncio\nasync def later():\n    a = await look_up(key='a')\n"
        "    await look_up(key=a + '!')\ntask = asyncio.ensure_future(later())\n"
        "await asyncio.sleep(0)\n'done'",
    },
    "tool beats timer": {
        "typescript": "const slow = new Promise((r) => setTimeout(() => r('timer'), 0));\n"
        "return await Promise.race([slow, lookUp({ key: 'tool' })]);",
        "python": "import asyncio\nasync def slow():\n    await asyncio.sleep(0.000001)\n"
        "    return 'timer'\nasync def main():\n"
        "    tasks = [asyncio.ensure_future(slow()), asyncio.ensure_future(look_up(key='tool'))]\n"
        "    done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)\n"
        "    return [t.result() for t in done][0]",
    },
    "deadlock": {
        "typescript": "await new Promise(() => {});",
        "python": "import asyncio\nawait asyncio.get_running_loop().create_future()",
    },
    "misfit": {
        "typescript": "const n = 1;\nawait lookUp({ key: 5 });",
        "python": "n = 1\nawait look_up(key=5)",
    },
    "caught misfit": {
        "typescript": "try { await lookUp({ kee: 'a' }); } catch (e) { }\n"
        "return await lookUp({ key: 'b' });",
        "python": "try:\n    await look_up(kee='a')\nexcept Exception:\n    pass\n"
        "await look_up(key='b')",
    },
    "unknown tool": {
        "typescript": "\nawait lokUp({ key: 'a' });",
        "python": "\nawait lok_up(key='a')",
    },
    "logs": {
        "typescript": "console.log('one'); await lookUp({ key: 'a' }); console.log('two'); 3",
        "python": "print('one')\nawait look_up(key='a')\nprint('two')\n3",
    },
    "endless": {
        "typescript": "console.log('so far');\nwhile (true) {}",
        "python": "print('so far')\nwhile True: pass",
    },
    "many calls": {
        "typescript": "for (let i = 0; ; i++) await lookUp({ key: 'a' });",
        "python": "async def main():\n    while True:\n        await look_up(key='a')",
    },
    "many waiting": {
        "typescript": "const all = [];\n"
        "for (let i = 0; i < 50; i++) all.push(lookUp({ key: 'a' }));\nawait Promise.all(all);",
        "python": "import asyncio\nawait asyncio.gather(*[look_up(key='a') for i in range(50)])",
    },
    "chance": {
        "typescript": "return [Math.random(), crypto.randomUUID()];",
        "python": "import random, uuid\n[random.random(), str(uuid.uuid4())]",
    },
    "time": {
        "typescript": "const a = Date.now();\nawait new Promise((r) => setTimeout(r, 5000));\n"
        "return [Math.round(a / 1000), Math.round((Date.now() - a) / 1000)];",
        "python": "import time, asyncio\na = time.time()\nawait asyncio.sleep(5)\n"
        "[round(a), round(time.time() - a)]",
    },
    "echo": {
        "typescript": "const found = await anything({ key: 'a' });\n"
        "return [found, await anything({ key: found })];",
        "python": "found = await anything(key='a')\n[found, await anything(key=found)]",
    },
    "syntax": {
        "typescript": "const a = 1;\nconst b = (;",
        "python": "a = 1\nb = (;",
    },
    "throws": {
        "typescript": "function inner() {\n  throw new TypeError('no good');\n}\n\ninner();",
        "python": "def inner():\n    raise TypeError('no good')\n\n\ninner()",
    },
    "big value": {
        "typescript": "return 'x'.repeat(3000);",
        "python": "'x' * 3000",
    },
    "big argument": {
        "typescript": "await lookUp({ key: 'x'.repeat(3000) });",
        "python": "await look_up(key='x' * 3000)",
    },
    "big log": {
        "typescript": "console.log('x'.repeat(3000));",
        "python": "print('x' * 3000)",
    },
    "memory": {
        "typescript": "const all = [];\nfor (;;) all.push(new Array(100000).fill(1));",
        "python": "everything = []\nwhile True:\n    everything.append([1] * 100000)",
    },
}
