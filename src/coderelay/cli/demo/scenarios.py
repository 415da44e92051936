"""The questions of the demo, and the answers of its scripted model, which depend on the messages
alone: a server that was restarted gets the same ones."""

from collections.abc import Mapping
from dataclasses import dataclass

from coderelay.cli.demo.samples import sample
from coderelay.core import Json
from coderelay.models.scripted_model import ScriptedAnswer, ScriptedModel


@dataclass(frozen=True, slots=True)
class ScenarioTurn:
    """A question, the sample programs that the scripted model writes, and its answer at the end."""

    question: str
    programs: tuple[str, ...]
    answer: str


@dataclass(frozen=True, slots=True)
class Scenario:
    """A conversation. The server is killed after `crash` batches of calls."""

    title: str
    turns: tuple[ScenarioTurn, ...]
    crash: int | None = None


SCENARIOS = (
    Scenario(
        "two searches at once",
        (
            ScenarioTurn(
                "Give me sport news and international affairs news.",
                ("parallel_news",),
                "Sport: underdogs won the cup, and a marathon record fell. International "
                "affairs: a ceasefire holds, and a harbour treaty was signed.",
            ),
        ),
    ),
    Scenario(
        "step by step, and the server dies",
        (
            ScenarioTurn(
                "Which of my stocks should I worry about, and why?",
                ("stock_analysis",),
                "Look into GLBX: it is 34 % below what you paid, at its lowest of the month. "
                "The news has it that Globex recalls its robots.",
            ),
        ),
        crash=2,
    ),
    Scenario(
        "tools that fail, and a follow-up",
        (
            ScenarioTurn(
                "Mail everyone in my contacts today's weather.",
                ("first_attempt", "loop_with_failure"),
                "Ana and Cy have their mail, though Cy's city has no weather station. Bo's "
                "address, bo(at)example, was refused.",
            ),
            ScenarioTurn(
                "It is bo@example.com. Send him his.",
                ("second_mail",),
                "Done: Bo has his mail, too.",
            ),
        ),
        crash=4,
    ),
)


def scripted(language: str) -> ScriptedModel:
    """The model of all scenarios. It finds the next answer from the messages alone."""

    def answer(body: Mapping[str, Json]) -> ScriptedAnswer:
        messages = body["messages"]
        users = [place for place, message in enumerate(messages) if message["role"] == "user"]
        turn = _turns(str(messages[users[0]]["content"]))[len(users) - 1]
        answered = sum(message["role"] == "assistant" for message in messages[users[-1] :])
        if answered >= len(turn.programs):
            return ScriptedAnswer(turn.answer)
        return ScriptedAnswer(code=sample(turn.programs[answered], language).read_text("utf-8"))

    return ScriptedModel(answer)


def _turns(question: str) -> tuple[ScenarioTurn, ...]:
    return next(each.turns for each in SCENARIOS if each.turns[0].question == question)
