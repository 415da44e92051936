"""Text is told as it comes, and nothing of it is lost, however it is cut."""

from hypothesis import given
from hypothesis import strategies as st

from coderelay.gateway.program_in_text import ProgramInText

pieces = st.lists(
    st.one_of(
        st.text(max_size=5),
        st.sampled_from(
            [
                "```",
                "`",
                "ts\n",
                "python\n",
                "\n```",
                "\n",
                "<tool",
                "_call>",
                "</tool_call>",
                "f(x)",
            ]
        ),
    ),
    max_size=12,
)


@given(pieces, st.sampled_from(["typescript", "python"]), st.booleans())
def test_sent_and_held_text_together_are_the_whole_text(
    parts: list[str], language: str, code_offered: bool
) -> None:
    in_text = ProgramInText(language, code_offered=code_offered)
    told = "".join(in_text.feed(part) for part in parts)
    assert told + in_text.rest() == "".join(parts)
    assert code_offered or not in_text.rest()


@given(pieces, st.sampled_from(["typescript", "python"]))
def test_a_program_is_one_however_its_text_is_cut(parts: list[str], language: str) -> None:
    whole, piecewise = (ProgramInText(language, code_offered=True) for _ in range(2))
    whole.feed("".join(parts))
    for letter in "".join(parts):
        piecewise.feed(letter)
    assert whole.program({"f"}) == piecewise.program({"f"})
    assert whole.calls() == piecewise.calls()


def test_text_before_a_program_is_not_held_back() -> None:
    in_text = ProgramInText("typescript", code_offered=True)
    assert in_text.feed("I will look. `") == "I will look. "
    assert in_text.feed("x` is it") == "`x` is it"
    assert in_text.feed("\n```ts\nf(1)") == "\n"
    assert in_text.feed("\n```") == ""
    assert in_text.program({"f"}) == "f(1)"
    assert in_text.program({"g"}) is None


def test_a_program_in_another_language_is_reported_at_once() -> None:
    in_text = ProgramInText("typescript", code_offered=True)
    assert in_text.feed("```bash\nls") == "```bash\nls"
    assert in_text.feed("\n```") == "\n```"
