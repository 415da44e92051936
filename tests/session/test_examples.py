"""The examples with the real SDKs: against a scripted model, and a real one if there is a key."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from coderelay.cli.demo import examples
from tests.session.endpoint import Model, served

FALL = """\
import sdk
holdings = sdk.get_portfolio()
histories = sdk.gather(
    [sdk.get_stock_history.later(symbol=each["symbol"], days=30) for each in holdings]
)
falls = {
    each["symbol"]: history[0]["price"] - history[-1]["price"]
    for each, history in zip(holdings, histories)
}
print(sum(map(len, histories)), "prices")"""
NEWS = """\
worst = max(falls, key=falls.get)
news = sdk.web_search(query=worst)
worst, round(falls[worst], 2), [article["title"] for article in news]"""
ANSWER = "It came to: ('GLBX', 36.37, ['Globex recalls its robots'])"

KEYS = {
    "session_responses.py": "OPENAI_API_KEY",
    "session_chat.py": "OPENAI_API_KEY",
    "session_anthropic.py": "ANTHROPIC_API_KEY",
}


def play(name: str, environment: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, str(Path(examples()) / name)],
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", KEYS)
def test_an_example_answers_its_question_with_a_scripted_model(name: str) -> None:
    model = Model([FALL, NEWS])
    with served(model) as url:
        printed = play(
            name,
            {
                "OPENAI_BASE_URL": f"{url}/v1",
                "OPENAI_API_KEY": "none",
                "ANTHROPIC_BASE_URL": url,
                "ANTHROPIC_API_KEY": "none",
                "NO_PROXY": "127.0.0.1",
            },
        )
    assert printed.count("get_stock_history") == 3
    assert printed.splitlines()[-1].endswith(ANSWER)
    sent = model.requests[0]
    assert "get_stock_history(" in str(sent.get("instructions") or sent.get("system") or sent)
    assert "90 prices" in str(model.requests[1])
    assert "2025-10" not in str(model.requests), "the model never reads the ninety prices"


@pytest.mark.parametrize("name", KEYS)
def test_an_example_answers_its_question_with_a_real_model(name: str) -> None:
    if not os.environ.get(KEYS[name]):
        pytest.skip(f"{KEYS[name]} is not set")
    assert "GLBX" in play(name, {})
