"""The same programs in every language, and the tool that they call."""

from tests.dialects.contract.client import Failure, Json

PROGRAMS: dict[str, dict[str, str]] = {
    "typescript": {
        "parallel": ("return await Promise.all(['a', 'b'].map((query) => webSearch({ query })));"),
        "loop": (
            "const seen = [];\nfor (const query of ['a', 'bad', 'c']) {\n"
            "  try { seen.push(await webSearch({ query })); }\n"
            "  catch (e) { seen.push(e.message); }\n}\nreturn seen;"
        ),
        "twice": (
            "const a = await webSearch({ query: 'a' });\n"
            "const b = await webSearch({ query: 'b' });\nreturn [a, b];"
        ),
        "without mail": (
            "let mail = 'no mail';\ntry { mail = await sendMail({}); } catch {}\n"
            "return [mail, await webSearch({ query: 'a' }), await webSearch({ query: 'b' })];"
        ),
        "one": "return (await webSearch({ query: 'x' }))[0];",
        "wrapped": "return { got: await webSearch({ query: 'a' }) };",
        "broken": "return nothing.here;",
        "silent": "return 6 * 7;",
        "output": "console.log('aside'); text('first'); text({ n: 2 });",
        "empty": "return '';",
        "blank": "text(''); console.log('');",
        "fails": "console.log(''); null.x;",
        "many": "return await Promise.all([...'abcde'].map((query) => webSearch({ query })));",
    },
    "python": {
        "parallel": (
            "import asyncio\nawait asyncio.gather(*(web_search(query=q) for q in ['a', 'b']))"
        ),
        "loop": (
            "seen = []\nfor query in ['a', 'bad', 'c']:\n    try:\n"
            "        seen.append(await web_search(query=query))\n"
            "    except ToolError as error:\n        seen.append(str(error))\nseen"
        ),
        "twice": "a = await web_search(query='a')\nb = await web_search(query='b')\n[a, b]",
        "without mail": (
            "try:\n    mail = await send_mail()\nexcept NameError:\n    mail = 'no mail'\n"
            "[mail, await web_search(query='a'), await web_search(query='b')]"
        ),
        "one": "(await web_search(query='x'))[0]",
        "wrapped": "{'got': await web_search(query='a')}",
        "broken": "nothing.here",
        "silent": "6 * 7",
        "output": 'import sys\nprint("aside", file=sys.stderr)\nprint("first")\nprint(\'{"n":2}\')',
        "empty": "''",
        "blank": "import sys\nprint('')\nprint('', file=sys.stderr)",
        "fails": "print('')\n1 / 0",
        "many": ("import asyncio\nawait asyncio.gather(*(web_search(query=q) for q in 'abcde'))"),
    },
}


def search(query: str) -> Json:
    if query == "bad":
        raise Failure("no luck")
    return [query]


FUNCTIONS = {"web_search": search}
