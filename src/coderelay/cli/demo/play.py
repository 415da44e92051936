"""A scenario is played through a server that is killed in the middle of a program."""

import asyncio
import time
from contextlib import ExitStack

from rich.console import Console

from coderelay.cli.demo.client import Client, Span
from coderelay.cli.demo.process import ServerProcess
from coderelay.cli.demo.recorder import Recorder
from coderelay.cli.demo.scenarios import SCENARIOS, Scenario, scripted
from coderelay.cli.demo.show import Show
from coderelay.cli.demo.story import Story
from coderelay.cli.hosting import hosted
from coderelay.client.local_tool import AnyLocalTool
from coderelay.core import EngineError
from coderelay.models.chat_client import ChatClient


def play(
    console: Console,
    language: str,
    tools: tuple[AnyLocalTool, ...],
    *,
    model: str | None,
    upstream: str | None,
    key: str | None,
    verbose: bool,
) -> None:
    """Play all scenarios in a language, with the scripted model or with a real one."""
    if upstream:
        real = ChatClient(upstream)
        recorder = Recorder(real, key=key, close=real.close)
    else:
        recorder = Recorder(scripted(language))
    show = Show(console) if verbose else Story(console)
    with ExitStack() as stack:
        address = stack.enter_context(hosted(recorder.app))
        server = stack.enter_context(ServerProcess(f"{address}/v1", language))
        player = Player(
            server, recorder, show, model=model or "scripted", scripted=upstream is None
        )
        for number, scenario in enumerate(SCENARIOS, 1):
            title = f"{language}, {number} of {len(SCENARIOS)}: {scenario.title}"
            player.play(scenario, tools, title=title, language=language)


class Player:
    """Plays scenarios in one language. With the scripted model, each answer is checked."""

    def __init__(
        self,
        server: ServerProcess,
        recorder: Recorder,
        show: Show | Story,
        *,
        model: str,
        scripted: bool,
    ) -> None:
        self._server = server
        self._recorder = recorder
        self._show = show
        self._model = model
        self._scripted = scripted

    def play(
        self, scenario: Scenario, tools: tuple[AnyLocalTool, ...], *, title: str, language: str
    ) -> None:
        """Play a scenario and print it."""
        self._show.title(title)
        before = len(self._recorder.requests)
        spans: list[Span] = []

        def between(batches: int) -> None:
            if batches == scenario.crash:
                spans.append(self._crash())

        address = self._server.address
        client = Client(address, self._model, tools, self._show.message, between)
        for turn in scenario.turns:
            answer = asyncio.run(client.ask(turn.question))
            if self._scripted and answer != turn.answer:
                raise EngineError(f"the model answered {answer!r} instead of {turn.answer!r}")
        self._show.model(self._recorder.requests[before:], language)
        self._show.timeline([*client.spans, *spans])

    def _crash(self) -> Span:
        began = time.perf_counter()
        pid = self._server.pid
        self._server.kill()
        self._show.note(f"kill -9: server {pid} is dead, in the middle of a program", "bold red")
        self._server.start()
        ended = time.perf_counter()
        self._show.note(
            f"server {self._server.pid} is started, knows nothing, and the conversation goes on",
            "bold yellow",
        )
        return Span("no server", began, ended, failed=True)
