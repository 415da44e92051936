"""The figures on the README's first screen: `make figures` measures them and writes them there.

One task over chatty tools: look up 20 contacts, get a day's forecast for each, and mail those who
need an umbrella. A scripted model that makes no mistake does it twice: with plain tool calling,
all calls of a step in parallel, and through the gateway with one program. Tokens are counted over
all requests to the model. Then the same conversation is held again and again while the server is
killed with `kill -9` before every request.
"""

import asyncio
import json
import platform
import re
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from bench.tokens import TOKENIZER, Tokens
from coderelay.cli.demo.client import Client
from coderelay.cli.demo.process import ServerProcess
from coderelay.cli.demo.recorder import Recorder
from coderelay.cli.hosting import hosted
from coderelay.client import tool
from coderelay.client.local_tool import AnyLocalTool
from coderelay.core import Json
from coderelay.models.scripted_model import ScriptedAnswer, ScriptedModel
from coderelay.wire import function_tool

QUESTION = "Mail every contact in whose city it will rain today, so that they take an umbrella."
DONE = "Everyone in the rain has a mail."
CONTACTS = 20
CONVERSATIONS = 20
"""Conversations in each language whose server is killed before every request."""
PROGRAMS = {
    "typescript": """\
const contacts = await listContacts();
const forecasts = await Promise.all(contacts.map(({ city }) => getForecast({ city })));
const rainy = contacts.filter((_, i) => forecasts[i].hours.some((hour) => hour.rain > 2));
await Promise.all(rainy.map(({ email }) => sendEmail({ to: email, text: "Take an umbrella." })));
return rainy.length;""",
    "python": """\
import asyncio
contacts = await list_contacts()
forecasts = await asyncio.gather(*(get_forecast(city=c["city"]) for c in contacts))
rainy = [c for c, f in zip(contacts, forecasts) if any(h["rain"] > 2 for h in f["hours"])]
await asyncio.gather(*(send_email(to=c["email"], text="Take an umbrella.") for c in rainy))
len(rainy)""",
}
README = Path(__file__).parents[1] / "README.md"
_BLOCK = re.compile(r"(<!-- figures: .*? -->\n).*?(<!-- /figures -->)", re.DOTALL)


@dataclass(slots=True)
class Office:
    """The client's side: its tools, and the mails that they sent."""

    sent: list[str] = field(default_factory=list)

    def tools(self) -> tuple[AnyLocalTool, ...]:
        """The tools, as plain functions."""

        def list_contacts() -> list[dict[str, Json]]:
            """Everyone in the address book."""
            return CONTACT_LIST

        def get_forecast(city: str) -> dict[str, Json]:
            """Today's weather in a city, hour by hour."""
            return forecast(city)

        def send_email(to: str, text: str) -> str:
            """Send an email."""
            self.sent.append(to)
            return "sent"

        return tuple(tool(each) for each in (list_contacts, get_forecast, send_email))


CONTACT_LIST: list[dict[str, Json]] = [
    {
        "name": f"Person {n}",
        "email": f"person{n}@example.com",
        "city": f"City {n}",
        "since": 2000 + n,
    }
    for n in range(CONTACTS)
]


def forecast(city: str) -> dict[str, Json]:
    """A day in a city: it rains where the city's number is divisible by four."""
    number = int(city.split()[-1])
    hours = [
        {"hour": hour, "celsius": 10 + (number * hour) % 7, "rain": 3 if number % 4 == 0 else 0}
        for hour in range(24)
    ]
    return {"city": city, "hours": hours}


RAINY = [str(each["email"]) for each in CONTACT_LIST if int(str(each["city"]).split()[-1]) % 4 == 0]


def plain(body: Mapping[str, Json]) -> ScriptedAnswer:
    """A model without mistakes that calls tools itself, all of a step at once."""
    match sum(message["role"] == "assistant" for message in body["messages"]):
        case 0:
            return ScriptedAnswer(calls=[("list_contacts", {})])
        case 1:
            return ScriptedAnswer(
                calls=[("get_forecast", {"city": each["city"]}) for each in CONTACT_LIST]
            )
        case 2:
            text = "Take an umbrella."
            return ScriptedAnswer(calls=[("send_email", {"to": to, "text": text}) for to in RAINY])
        case _:
            return ScriptedAnswer(DONE)


def in_code(language: str) -> ScriptedModel:
    """The same model, which writes one program."""
    return ScriptedModel([ScriptedAnswer(code=PROGRAMS[language]), DONE])


def converse(address: str, *, server: ServerProcess | None = None) -> int:
    """Hold the conversation, killing the server between requests; says how often it was killed."""
    office, kills = Office(), 0

    def between(batches: int) -> None:
        nonlocal kills
        if server is not None:
            server.kill()
            server.start()
            kills += 1

    client = Client(address, "m", office.tools(), lambda message: None, between)
    answer = asyncio.run(client.ask(QUESTION))
    assert answer == DONE, answer
    assert office.sent == RAINY, office.sent
    return kills


def plain_requests() -> list[Mapping[str, Json]]:
    """What a model that calls tools itself is sent in one conversation, request by request."""
    tools = {each.declaration.name: each for each in Office().tools()}
    functions = [function_tool(each.declaration) for each in tools.values()]
    messages: list[Json] = [{"role": "user", "content": QUESTION}]
    requests: list[Mapping[str, Json]] = []
    while True:
        requests.append({"messages": [*messages], "tools": functions})
        answer = plain(requests[-1])
        if not answer.calls:
            return requests
        calls = [
            {
                "id": f"call_{len(messages)}_{place}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for place, (name, arguments) in enumerate(answer.calls)
        ]
        messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        for call, (name, arguments) in zip(calls, answer.calls, strict=True):
            result = tools[name].function(**arguments)
            content = result if isinstance(result, str) else json.dumps(result)
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})


def code_requests(language: str) -> Sequence[Mapping[str, Json]]:
    """What the model is sent through the gateway in the same conversation."""
    recorder = Recorder(in_code(language))
    with ExitStack() as stack:
        address = stack.enter_context(hosted(recorder.app))
        server = stack.enter_context(ServerProcess(f"{address}/v1", language))
        converse(server.address)
    return recorder.requests


def killed(language: str) -> int:
    """Hold conversations while the server is killed before every request but the first."""
    kills = 0
    with ExitStack() as stack:
        address = stack.enter_context(hosted(Recorder(in_code(language)).app))
        server = stack.enter_context(ServerProcess(f"{address}/v1", language))
        for number in range(CONVERSATIONS):
            kills += converse(server.address, server=server)
            print(
                f"{language}: {number + 1} of {CONVERSATIONS} conversations, {kills} kills",
                end="\r",
            )
    print()
    return kills


def provenance() -> str:
    """When and on what the figures were measured."""
    today = datetime.now(UTC).date().isoformat()
    machine = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    return (
        f"Measured on {today} by `make figures` ({machine}): a scripted model that makes no "
        f"mistake on either side, tokens of {TOKENIZER}, `kill -9` of the server before every "
        "request of a program. Plain tool calling has no program that a killed server could lose. "
        "[The measurement](bench/first_screen.py)"
    )


def main() -> None:
    """Measure, print, and write the README's block."""
    with tempfile.TemporaryDirectory() as folder:
        print("fetching the tokenizer …")
        tokens = Tokens(Path(folder))
        ways = {
            "plain": plain_requests(),
            "code": code_requests("typescript"),
        }
        bodies_as_text = {
            way: [
                json.dumps({"messages": body["messages"], "tools": body["tools"]})
                for body in bodies
            ]
            for way, bodies in ways.items()
        }
        counts = {way: sum(tokens.count(*texts)) for way, texts in bodies_as_text.items()}
    kills = sum(killed(language) for language in PROGRAMS)
    conversations = CONVERSATIONS * len(PROGRAMS)
    block = f"""\
| one task, {CONTACTS} chatty tool results | plain tool calling | code mode |
|---|---|---|
| input tokens of the model | {counts["plain"]:,} | **{counts["code"]:,}** |
| requests to the model | {len(bodies_as_text["plain"])} | **{len(bodies_as_text["code"])}** |
| right answers, the server killed {kills} times | – | **{conversations} of {conversations}** |

{provenance()}
"""
    print(block)
    text = README.read_text("utf-8")
    written, times = _BLOCK.subn(lambda found: found[1] + block + found[2], text)
    assert times == 1, "the README has no block for the figures"
    README.write_text(written, "utf-8")


if __name__ == "__main__":
    main()
