"""The forms that a program may have."""

import pytest

from tests.python.driving import run

MAIN = "async def main():\n    return await get(key='a')\n"


@pytest.mark.parametrize(
    "source",
    [
        "await get(key='a')",
        "x = await get(key='a')\nx",
        MAIN,
        MAIN + "await main()",
        MAIN + "main()",
        MAIN + "import asyncio\nasyncio.run(main())",
        MAIN + "import asyncio as aio\naio.run(main())",
        MAIN + "from asyncio import run\nrun(main())",
        MAIN + "import asyncio\nresult = asyncio.run(main())",
        MAIN + "import asyncio\nwith asyncio.Runner() as runner:\n    runner.run(main())",
        MAIN + "import asyncio as a\nrunner = a.Runner()\nrunner.run(main())\nrunner.close()",
        MAIN + "import asyncio\nprint(asyncio.run(main()))",
        MAIN + "import asyncio\nif __name__ == '__main__':\n    asyncio.run(main())\n",
        MAIN + "if __name__ == '__main__':\n    await main()\n",
        MAIN + "loop = asyncio.new_event_loop()\nloop.run_until_complete(main())",
        "import asyncio\n" + MAIN + "asyncio.get_event_loop().run_until_complete(main())",
        "def main():\n    return get(key='a')\nawait main()",
        "import asyncio\nasync def work():\n    return await get(key='a')\n"
        "def main():\n    return asyncio.run(work())\nif __name__ == '__main__':\n    main()\n",
        "import asyncio\nasync def work():\n    return await get(key='a')\n"
        "def main():\n    return asyncio.run(work())\n",
        "```python\nawait get(key='a')\n```",
        "```\nawait get(key='a')\n```\n",
        "  \n```py\nasync def main():\n    return await get(key='a')\n```",
        "# the end is a comment\nawait get(key='a')\n# it is",
        "(await get(\n    key='a',\n))\n",
        'x = await get(key="""a""")\nf"""\n{x}\n""".strip()\n',
        "x = await get(\n  key='a'\n)\n\n\nx  # that is it\n\n",
        "x = 1; await get(key='a')",
        "await get(key='a');",
    ],
)
def test_every_form_of_a_program_gives_its_value(source: str) -> None:
    ran = run(source)
    assert ran.value == "a!"
    assert ran.keys == [["a"]]


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("", None),
        ("# nothing", None),
        ("x = 1", None),
        ("1 + 1", 2),
        ("'text'", "text"),
        ("for x in [1]:\n    x", None),
        ("if True:\n    5", None),
        ("def main():\n    return 3", 3),
        ("def main(n=4):\n    return n", 4),
        ("def main(n):\n    return n\nmain(5)", 5),
        ("main = 5", None),
        ("def main():\n    return main.__name__", "main"),
        ("x = 1\ndef main():\n    global x\n    x += 1\n    return x\nmain()", 2),
        ("from math import floor", None),
        ("x = [\n1,\n2\n]", None),
        ("[\n1,\n2\n]", [1, 2]),
        ("{\n'a': 1\n}", {"a": 1}),
        ("f = '''\nreturn 1\n'''", None),
        ("len('''\nfrom x\n''')", 8),
        ("@staticmethod\ndef f():\n    return 1\nf()", 1),
        ("try:\n    x = 1\nexcept ValueError:\n    x = 2\nelse:\n    x = 3\nx", 3),
        ("x = 3\nmatch x:\n    case 3:\n        y = 4\ny", 4),
        ("import sys\nsys.exit()", None),
        ("exit(0)", None),
        ("__name__", "__main__"),
        ("lambda: 1\n5", 5),
        ("class A:\n    pass\nA.__module__", "__main__"),
        ("x: int = 5\nx", 5),
        ("if (n := 10) > 5: pass\nn", 10),
        ("[x async for x in (y for y in [])] if False else 7", 7),
        ("run = lambda x: x + 1\nrun(2)", 3),
    ],
)
def test_the_value_is_what_main_returned_or_the_last_expression(source: str, value: object) -> None:
    assert run(source).value == value


def test_a_main_that_the_program_calls_is_not_called_again() -> None:
    source = "def main():\n    print('called')\n    return 1\nx = main()\nx + 1"
    ran = run(source)
    assert (ran.value, ran.printed) == (2, ["called"])


def test_a_mention_of_main_in_a_string_does_not_call_it() -> None:
    assert run("async def main():\n    '''main() does it'''\n    return 1 # main()").value == 1


def test_a_plain_function_can_run_a_coroutine_that_waits_for_timers() -> None:
    source = """
    import asyncio
    class Worker:
        async def work(self):
            await asyncio.sleep(3600)
            return "worked"
        def start(self):
            return asyncio.run(self.work())
    Worker().start()
    """
    assert run(source).value == "worked"


def test_a_plain_method_that_awaits_a_tool_is_advised_to_be_async() -> None:
    source = """
    import asyncio
    class Worker:
        async def work(self):
            return await get(key="a")
        def start(self):
            return asyncio.run(self.work())
    Worker().start()
    """
    error = run(source).error
    assert "make this function async" in error.message
    assert error.line == 7


def test_a_fence_is_removed_and_lines_keep_their_numbers() -> None:
    error = run("```python\nx = 1\nx / 0\n```").error
    assert (error.name, error.line, error.column) == ("ZeroDivisionError", 3, 1)


def test_tools_can_be_called_by_position_and_by_all_their_names() -> None:
    source = """
    import tools
    from tools import send_mail, ToolError as Error
    a = await get("a", 3)
    b = await webSearch("b")
    c = await web_search(query="c")
    d = await tools.get("d")
    e = await send_mail("e", text="t")
    [a, b, c, d, e, Error is ToolError]
    """
    ran = run(source)
    assert ran.value == ["a!", "b!", "c!", "d!", "e!", True]
    assert [batch[0].arguments for batch in ran.batches][:2] == [
        {"key": "a", "limit": 3},
        {"query": "b"},
    ]
    assert [batch[0].name for batch in ran.batches][-1] == "send-mail"


def test_a_tool_is_found_by_a_name_made_at_run_time() -> None:
    assert run("await globals()['g' + 'et'](key='a')").value == "a!"


def test_too_many_positions_are_refused_where_the_call_is() -> None:
    error = run("x = 1\nawait get('a', 1, 2)").error
    assert error.message == "get() takes 2 positional arguments (key, limit), but 3 were given"
    assert (error.name, error.line) == ("TypeError", 2)


def test_an_argument_given_twice_is_refused() -> None:
    assert "two values for its argument 'key'" in run("await get('a', key='b')").error.message


def test_output_is_captured_as_it_is_written() -> None:
    source = r"""
    import sys, warnings
    print("one", 2, sep="-")
    print("half", end="")
    print(" a line\nand another")
    sys.stderr.write("trouble\n")
    sys.stdout.write("direct\n")
    print("to err", file=sys.stderr)
    print("é\ud800")
    print("no end", end="")
    """
    logs = [(log.level, log.text) for log in run(source).outcome.logs]
    assert logs == [
        ("print", "one-2"),
        ("print", "half a line"),
        ("print", "and another"),
        ("stderr", "trouble"),
        ("print", "direct"),
        ("stderr", "to err"),
        ("print", "é\\ud800"),
        ("print", "no end"),
    ]


def test_output_can_be_redirected_by_the_program() -> None:
    source = """
    import io, contextlib
    with contextlib.redirect_stdout(io.StringIO()) as out:
        print("inside")
    out.getvalue()
    """
    ran = run(source)
    assert (ran.value, ran.printed) == ("inside\n", [])


def test_input_has_an_end_and_nothing_else() -> None:
    assert run("input()").error.name == "EOFError"


def test_one_tool_among_a_thousand_costs_no_more_than_alone() -> None:
    from coderelay.core import ToolName

    many = [ToolName(f"t{i}", (f"t{i}",), ("key",)) for i in range(1000)]
    alone = run("await t7(key='a')", names=many[7:8])
    among = run("await t7(key='a')", names=many)
    assert among.outcome == alone.outcome


NAMES_BEFORE = "\n".join(f"name{number} = {number}" for number in range(300))


@pytest.mark.parametrize(
    "source",
    [
        "async def main():\n    return await get(key='a')\nx = await main()\nx",
        "async def main():\n    return await get(key='a')\nx = [await main()]\nx[0]",
        f"{NAMES_BEFORE}\nasync def main():\n    return await get(key='a')\nx = await main()\nx",
        "async def main():\n    return await get(key='a')\n"
        "async def twice():\n    return await main()\nawait twice()",
        "class Box:\n    pass\nbox = Box()\nbox.main = 'a'\n"
        "async def main():\n    return await get(key=box.main)\n",
        "import types\nbox = types.SimpleNamespace(main='a')\n"
        "async def main():\n    return await get(key=box.main)\nbox.main",
    ],
)
def test_main_runs_once_wherever_the_program_reads_its_name(source: str) -> None:
    ran = run(source)
    assert ran.keys == [["a"]]
    assert ran.value == "a!"


@pytest.mark.parametrize("name", ["rerun", "run_all", "_run", "prun_until_complete"])
def test_a_function_whose_name_only_looks_like_a_run_is_left_alone(name: str) -> None:
    assert run(f"def {name}(x):\n    return x + 1\n{name} (1)").value == 2
