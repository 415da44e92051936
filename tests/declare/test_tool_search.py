"""Tools are found by words that describe them."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coderelay.core import Tool
from coderelay.declare import Search
from tests.declare.many import many_tools
from tests.declare.processes import printed
from tests.declare.schemas import objects

WORLD = [
    Tool("get_weather", "Current weather and forecast of a city."),
    Tool("listOrders", "All orders of a customer.", {"properties": {"customerId": {}}}),
    Tool("mcp__github__create-issue", "Open an issue in a repository."),
    Tool("mcp__github__list-issues", "List the issues of a repository."),
    Tool(
        "send.email",
        "Send a message to a person.",
        {
            "properties": {
                "to": {"type": "string", "description": "The address of the recipient."},
                "options": {"properties": {"attachments": {"items": {"description": "A file."}}}},
            }
        },
    ),
    Tool("HTTPRequest", "Fetch a URL."),
    Tool("查询天气", "查询一个城市的天气。"),
    Tool("meteo", "Météo d'une ville: température, précipitations."),
    Tool("मौसम", "शहर का मौसम बताता है"),
    Tool("city_boxes", "Counts boxes in cities."),
]


def found(query: str, limit: int = 10) -> list[str]:
    return [tool.name for tool in Search(WORLD).search(query, limit)]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("weather", "get_weather"),
        ("WEATHER", "get_weather"),
        ("what is the weather like", "get_weather"),
        ("orders", "listOrders"),
        ("order", "listOrders"),
        ("list orders", "listOrders"),
        ("create issue", "mcp__github__create-issue"),
        ("github issues list", "mcp__github__list-issues"),
        ("customer id", "listOrders"),
        ("recipient", "send.email"),
        ("attachment", "send.email"),
        ("emails", "send.email"),
        ("sending email", "send.email"),
        ("http request", "HTTPRequest"),
        ("httprequest", "HTTPRequest"),
        ("weath", "get_weather"),
        ("boxes", "city_boxes"),
        ("box", "city_boxes"),
        ("天气", "查询天气"),
        ("temperature", "meteo"),
        ("MÉTÉO", "meteo"),
        ("मौसम", "मौसम"),
        ("get_weather", "get_weather"),
        ("getWeather", "get_weather"),
        ("mcp__github__list-issues", "mcp__github__list-issues"),
    ],
)
def test_the_tool_that_is_meant_comes_first(query: str, first: str) -> None:
    assert found(query)[0] == first


@pytest.mark.parametrize("query", ["", "   ", "zzz", "?!…", "\ud800", "x" * 10_000])
def test_nothing_is_found_where_nothing_fits(query: str) -> None:
    assert found(query) == []


def test_a_name_counts_more_than_a_description_and_that_more_than_a_parameter() -> None:
    told = {"properties": {"x": {"description": "The invoice."}}}
    tools = [Tool("c", "A b.", told), Tool("b", "The invoice."), Tool("invoice", "A b.")]
    assert [tool.name for tool in Search(tools).search("invoice")] == ["invoice", "b", "c"]


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    tools = [*(Tool(f"list_{each}") for each in ("a", "b", "c")), Tool("make_report")]
    assert Search(tools).search("list report")[0].name == "make_report"


def test_ties_are_in_tool_order_and_no_more_come_than_were_asked_for() -> None:
    tools = [Tool(f"order_{each}") for each in "zyxab"]
    assert [tool.name for tool in Search(tools).search("order", 3)] == [
        "order_z",
        "order_y",
        "order_x",
    ]


def test_a_tool_that_is_asked_for_by_name_comes_before_those_that_say_it_more() -> None:
    tools = [Tool("get_user_list", "Get user, get user, get user."), Tool("get_user")]
    assert Search(tools).search("get_user")[0].name == "get_user"
    assert (
        Search([Tool("the_tool"), Tool("x", "the tool")]).search("the tool")[0].name == "the_tool"
    )


@given(objects, st.text(max_size=300), st.text(max_size=300))
@settings(deadline=None, max_examples=50)
def test_any_tool_can_be_searched_with_any_words(schema: object, text: str, query: str) -> None:
    tools = [Tool("t", text, schema), Tool(text or "x")]  # type: ignore[arg-type]
    assert Search(tools).search(query) == Search(tools).search(query)
    assert Search([]).search(query) == []


def test_a_search_is_the_same_in_every_process() -> None:
    script = (
        "from tests.declare.test_tool_search import *\n"
        "s = Search(many_tools(500) + WORLD)\n"
        "for q in ('create an issue', 'time zone of page', 'the', 'weath', '天气'):\n"
        "    print([t.name for t in s.search(q, 50)])"
    )
    assert len(printed(script)) == 1


def test_words_that_many_tools_have_are_ignored() -> None:
    words = [f"w{each}" for each in range(16)]
    tools = [*(Tool(f"t{each}", " ".join(words[1:])) for each in range(2_500)), Tool("w0")]
    search = Search(tools)
    assert [tool.name for tool in search.search(" ".join(words))] == ["w0"]
    assert search.search("w1")[0].name == "t0"


def test_hostile_texts_take_no_longer_than_long_ones() -> None:
    long = "word " * 500_000
    deep: dict[str, object] = {"description": long}
    for _ in range(200):
        deep = {"properties": {"a" * 100_000: deep, "b": deep}}
    started = time.thread_time()
    search = Search([Tool("a", long, deep), *many_tools(100)])
    assert search.search(" ".join(f"w{each}" for each in range(10_000))) == []
    assert search.search("wor")[0].name == "a"
    assert time.thread_time() - started < 1


def test_repeated_searches_with_similar_words_look_up_each_word_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    look_up = Search._matches

    def counted(self: Search, word: str, room: int) -> dict[int, float]:
        asked.append(word)
        return look_up(self, word, room)

    monkeypatch.setattr(Search, "_matches", counted)
    search = Search(many_tools(200))
    queries = [f"github create issue number{n}" for n in range(30)]
    found = [search.search(query) for query in queries]
    assert len(asked) == 3 + len(queries)
    assert found == [Search(many_tools(200)).search(query) for query in queries]


def test_what_is_remembered_of_searches_is_bounded() -> None:
    tools = many_tools(200)
    search = Search(tools)
    for number in range(3_000):
        search.search(f"list{number} page{number}")
    assert sum(map(len, search._known_scores.values())) + len(search._known_scores) <= 32_000
    assert search.search("github create issue") == Search(tools).search("github create issue")
