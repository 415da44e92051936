"""The standard library that a program can import is the one that the documentation lists."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.python.driving import LIMITS, run

PAGE = (Path(__file__).parents[2] / "docs" / "python.md").read_text()
IMPORT_ALL = """
import sys, warnings
warnings.simplefilter("ignore")
found, missing = [], []
names = [n for n in sys.stdlib_module_names if n[0] != "_" and n not in ("this", "antigravity")]
for name in sorted(names):
    try:
        __import__(name)
        found.append(name)
    except ImportError:
        missing.append(name)
[found, missing]
"""


def listed(heading: str) -> list[str]:
    block = re.search(rf"## {heading}\n.*?```text\n(.*?)```", PAGE, re.S)
    assert block is not None
    return block[1].split()


def test_the_documentation_lists_what_imports_and_what_does_not() -> None:
    found, missing = run(IMPORT_ALL, limits=replace(LIMITS, fuel=10_000_000_000)).value
    assert listed("Modules that can be imported") == found
    assert listed("Modules that cannot be imported") == missing


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("import zoneinfo, datetime as d\n"
         "d.datetime(2025, 7, 1, tzinfo=zoneinfo.ZoneInfo('Asia/Tokyo')).utcoffset()", 32400),
        ("import zoneinfo\nlen(zoneinfo.available_timezones()) > 400", True),
        ("import zoneinfo\nzoneinfo.ZoneInfo('Nowhere/Land')", "ZoneInfoNotFoundError"),
        ("import sqlite3\nsqlite3.connect(':memory:').execute('select 1 + 1').fetchone()", [2]),
        ("import xml.etree.ElementTree as e\ne.fromstring('<a><b>1</b></a>')[0].text", "1"),
        ("import hashlib\nhashlib.sha256(b'').hexdigest()[:8]", "e3b0c442"),
        ("import zlib, gzip\ngzip.decompress(gzip.compress(b'x' * 99)) == b'x' * 99", True),
        ("import decimal\ndecimal.Decimal(1) / 7", "0.1428571428571428571428571429"),
        ("import csv, io\nlist(csv.DictReader(io.StringIO('a,b\\n1,2')))", [{"a": "1", "b": "2"}]),
        ("import tomllib\ntomllib.loads('a = [1]')", {"a": [1]}),
        ("import email.message as e\nm = e.EmailMessage()\nm['To'] = 'x'\nstr(m)", "To: x\n\n"),
        ("import unicodedata\nunicodedata.name('é')", "LATIN SMALL LETTER E WITH ACUTE"),
        ("import pickle\npickle.loads(pickle.dumps({1: [2]}))[1]", [2]),
        ("import re\nre.sub(r'(?P<a>\\w+)', lambda m: m['a'].upper(), 'a b')", "A B"),
        ("import logging\nlogging.warning('careful')\nlogging.getLogger().level", 30),
        ("import html.parser, urllib.parse\nurllib.parse.urlparse('http://a/b?c=d').query", "c=d"),
        ("import unittest.mock\nunittest.mock.Mock(return_value=3)()", 3),
        ("import sys\nlist(sys.version_info[:2])", [3, 14]),
        ("import string.templatelib\nt'a{1}b'.strings", ["a", "b"]),
    ],
)  # fmt: skip
def test_modules_do_their_work(source: str, value: object) -> None:
    ran = run(source)
    if value == "ZoneInfoNotFoundError":
        assert ran.error.name == value
    else:
        assert ran.value == value


def test_a_module_that_does_not_exist_says_so_quickly() -> None:
    error = run("import numpy").error
    assert (error.name, error.message) == ("ModuleNotFoundError", "No module named 'numpy'")
