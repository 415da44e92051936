"""Every value has one documented JSON form, and what has none is named by its place."""

import pytest

from coderelay.core import Call, Result, Returned
from coderelay.core.json_values import MAX_DEPTH
from tests.python.driving import run

EXACT = [
    "None",
    "True",
    "0",
    "-1",
    "12345678901234567890",
    "10**400",
    "1.5",
    "0.1 + 0.2",
    "1e308",
    "5e-324",
    "'text'",
    "'é 漢 \U0001f600 \\x00 \\\\ \"'",
    "[]",
    "{}",
    "[1, [2, {'a': None}]]",
    "{'b': 1, 'a': {'': []}}",
]
FORMS = {
    "(1, (2,))": [1, [2]],
    "float('nan')": "NaN",
    "float('inf')": "Infinity",
    "[float('-inf'), -0.0]": ["-Infinity", 0.0],
    "{1, }": [1],
    "frozenset(['a'])": ["a"],
    "range(3)": [0, 1, 2],
    "{'a': 1}.keys()": ["a"],
    "{'a': 1}.values()": [1],
    "{'a': 1}.items()": [["a", 1]],
    "__import__('collections').deque([1])": [1],
    "__import__('array').array('i', [1, 2])": [1, 2],
    "b'\\x00\\xff'": "AP8=",
    "bytearray(b'ab')": "YWI=",
    "memoryview(b'ab')": "YWI=",
    "__import__('datetime').date(2025, 1, 2)": "2025-01-02",
    "__import__('datetime').datetime(2025, 1, 2, 3, 4, 5)": "2025-01-02T03:04:05",
    "__import__('datetime').time(3, 4)": "03:04:00",
    "__import__('datetime').timedelta(minutes=1.5)": 90.0,
    "__import__('decimal').Decimal('1.10')": "1.10",
    "__import__('fractions').Fraction(1, 3)": "1/3",
    "__import__('uuid').UUID(int=1)": "00000000-0000-0000-0000-000000000001",
    "__import__('pathlib').PurePosixPath('/a/b')": "/a/b",
    "__import__('zoneinfo').ZoneInfo('Europe/Paris')": "Europe/Paris",
    "__import__('ipaddress').ip_address('::1')": "::1",
    "__import__('types').SimpleNamespace(a=1)": {"a": 1},
    "__import__('types').MappingProxyType({'a': 1})": {"a": 1},
    "__import__('collections').OrderedDict(b=1, a=2)": {"b": 1, "a": 2},
    "__import__('collections').Counter('aab')": {"a": 2, "b": 1},
    "__import__('collections').defaultdict(list, a=[1])": {"a": [1]},
    "__import__('collections').ChainMap({'a': 1}, {'b': 2})": {"b": 2, "a": 1},
    "ValueError('no')": {"name": "ValueError", "message": "no"},
    "{1: 'a', 2.5: 'b', True and None: 'c', False: 'd'}": {
        "1": "a",
        "2.5": "b",
        "null": "c",
        "false": "d",
    },
    "{__import__('datetime').date(2025, 1, 2): 1}": {"2025-01-02": 1},
}
CLASSES = """
import dataclasses, enum, typing, collections
@dataclasses.dataclass
class Point:
    x: int
    y: "Point | None" = None
class Named(typing.NamedTuple):
    a: int
    b: list
Old = collections.namedtuple("Old", "p q")
class Colour(enum.Enum):
    RED = "red"
    PAIR = (1, 2)
class Level(enum.IntEnum):
    HIGH = 3
class Word(enum.StrEnum):
    YES = "yes"
class Row(typing.TypedDict):
    name: str
class Text(str):
    def __str__(self):
        return "forged"
class Number(int):
    pass
"""
OF_CLASSES = {
    "Point(1, Point(2))": {"x": 1, "y": {"x": 2, "y": None}},
    "Named(1, [2])": {"a": 1, "b": [2]},
    "[Old(1, 2)]": [{"p": 1, "q": 2}],
    "[Colour.RED, Colour.PAIR]": ["red", [1, 2]],
    "{Colour.RED: Level.HIGH}": {"red": 3},
    "[Level.HIGH, Word.YES]": [3, "yes"],
    "Row(name='a')": {"name": "a"},
    "[Text('real'), Number(4)]": ["real", 4],
    "{Text('real'): 1}": {"real": 1},
}
NONE = {
    "object()": "the value is of type object, which has no JSON form",
    "{'a': [1, {2}, object()]}": "the value['a'][2] is of type object",
    "[lambda: 1]": "the value[0] is the function <lambda>",
    "len": "the value is the function len",
    "int": "the value is the class int",
    "(x for x in [1])": "the value is a generator, which has no JSON form: use list(…)",
    "map(str, [1])": "the value is a map, which has no JSON form: use list(…)",
    "{(1, 2): 3}": "the value has a key of type tuple: use strings as keys",
    "{1: 'a', '1': 'b'}": "the value has two keys whose JSON form is '1'",
    "1j": "the value is of type complex",
    "10**5000": "the value is an integer of more than 4300 digits",
    "[get]": "the value[0] is the function get",
    "get(key='a')": "the value is the call get(…) on line 1, which was not awaited: write "
    "`await get(…)`",
    "{'a': [get(key='a')]}": "the value['a'][0] is the call get(…) on line 1",
    "[asyncio.sleep(1)]": "the value[0] is the coroutine sleep(…), which was not awaited",
    "asyncio.ensure_future(asyncio.sleep(0))": "the value is a Task that was not awaited",
    "__import__('asyncio')": "the value is of type module",
}


@pytest.mark.parametrize("source", EXACT)
def test_json_values_come_out_exactly(source: str) -> None:
    value, expected = run(source).value, eval(source)
    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize("source", FORMS)
def test_every_other_type_has_one_form(source: str) -> None:
    assert run(source).value == FORMS[source]


@pytest.mark.parametrize("source", OF_CLASSES)
def test_classes_have_one_form(source: str) -> None:
    assert run(CLASSES + source).value == OF_CLASSES[source]


@pytest.mark.parametrize("source", NONE)
def test_a_value_without_json_form_is_named_by_its_place(source: str) -> None:
    error = run(source).error
    assert (error.kind, error.name) == ("exception", "TypeError")
    assert error.message.startswith(NONE[source])


@pytest.mark.parametrize("source", [*EXACT, *list(FORMS)[:20]])
def test_arguments_have_the_same_forms(source: str) -> None:
    expected = FORMS[source] if source in FORMS else eval(source)
    sent: list[object] = []

    def answer(call: Call) -> Result:
        sent.append(call.arguments["key"])
        return Returned(None)

    run(f"await get(key={source})", answer)
    assert sent == [expected]


def test_an_argument_without_a_form_is_refused_where_the_call_is() -> None:
    error = run("x = 1\nawait get(key=[object()])").error
    assert error.message.startswith("get(): argument ['key'][0] is of type object")
    assert (error.name, error.line) == ("TypeError", 2)


def test_an_argument_that_was_not_awaited_says_so() -> None:
    error = run("a = get(key='a')\nawait get(key=a)").error
    assert "the call get(…) on line 1, which was not awaited" in error.message
    assert error.line == 2


def test_negative_zero_keeps_its_sign() -> None:
    assert str(run("-0.0").value) == "-0.0"


def test_lone_surrogates_survive_in_both_directions() -> None:
    ran = run("x = await get(key='\\ud800')\n[x, len(x), '\\udfff\\x00']")
    assert ran.value == ["\ud800!", 2, "\udfff\x00"]
    assert ran.keys == [["\ud800"]]


def test_sets_come_out_in_their_own_order() -> None:
    source = "s = {object() for _ in range(3)} and set('abcdefgh')\n[list(s) == [*s], s]"
    same, value = run(source).value
    assert same and sorted(value) == list("abcdefgh")
    assert run(source).value == [same, value]


@pytest.mark.parametrize("kind", ["[{}]", "{{'a': {}}}", "({},)"])
def test_values_are_nested_so_deep_and_no_deeper(kind: str) -> None:
    def nested(depth: int) -> str:
        return f"x = 1\nfor _ in range({depth}):\n    x = {kind.format('x')}\nx"

    assert run(nested(MAX_DEPTH)).value is not None
    message = run(nested(MAX_DEPTH + 1)).error.message
    assert f"nested more than {MAX_DEPTH} levels deep" in message


@pytest.mark.parametrize(
    "source",
    [
        "x = []\nx.append(x)\nx",
        "x = {}\nx['a'] = [x]\nx",
        "import types\nx = types.SimpleNamespace()\nx.me = x\nx",
    ],
)
def test_a_value_that_contains_itself_is_refused(source: str) -> None:
    assert "contains itself" in run(source).error.message


def test_a_value_may_hold_the_same_part_twice() -> None:
    assert run("a = {1}\n[a, a, [a]]").value == [[1], [1], [[1]]]


def test_a_small_value_with_a_huge_text_is_over_its_limit() -> None:
    source = "x = ['x']\nfor _ in range(40):\n    x = [x, x]\nx"
    error = run(source).error
    assert (error.kind, error.limit) == ("limit", "value")


def test_the_digits_limit_cannot_be_lifted_by_the_program() -> None:
    source = "import sys\nsys.set_int_max_str_digits(0)\n10**5000"
    assert "more than 4300 digits" in run(source).error.message


def test_results_come_in_exactly() -> None:
    value = {"a": [1, 2.5, None, True, "é\x00"], "n": 12345678901234567890, "": {}}
    source = "x = await get(key='a')\n[x, type(x['n']).__name__, x['a'][1]]"
    assert run(source, lambda call: Returned(value)).value == [value, "int", 2.5]
