"""Local tools for the sample programs: plain functions over embedded data, no network.

Every public function is a tool. Its type hints become its schema, its docstring its description.
"""

import asyncio
import math
import time
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal


@dataclass
class Article:
    title: str
    source: str
    summary: str


@dataclass
class Holding:
    symbol: str
    shares: int
    bought_at: float


@dataclass
class Close:
    day: date
    price: float


@dataclass
class Weather:
    city: str
    temperature: float
    condition: Literal["sunny", "cloudy", "rainy"]


@dataclass
class Contact:
    name: str
    email: str
    city: str


def web_search(query: str, limit: int = 3) -> list[Article]:
    """Search the web for recent articles.

    Args:
        query: What to look for; every word must occur.
        limit: How many articles to return at most.
    """
    time.sleep(0.2)  # as slow as a real search, so that doing several at once shows
    words = query.lower().split()
    found = [article for article in _ARTICLES if all(word in _text(article) for word in words)]
    return found[:limit]


def get_portfolio() -> list[Holding]:
    """The stocks we hold, and the price each was bought at."""
    return _PORTFOLIO


def get_stock_price(symbol: str) -> float:
    """The latest price of a stock, in dollars.

    Args:
        symbol: The ticker symbol, e.g. ACME.
    """
    time.sleep(0.1)
    return _price(symbol, 0)


def get_stock_history(symbol: str, days: int = 30) -> list[Close]:
    """The closing prices of a stock, oldest first.

    Args:
        symbol: The ticker symbol, e.g. ACME.
        days: How many days to go back.
    """
    time.sleep(0.1)
    return [
        Close(_TODAY - timedelta(days=ago), _price(symbol, ago)) for ago in reversed(range(days))
    ]


async def get_weather(city: str) -> Weather:
    """Today's weather in a city, in degrees Celsius."""
    await asyncio.sleep(0.1)  # a tool may be async as well
    if city not in _WEATHER:
        raise LookupError(f"no weather station in {city}")
    return _WEATHER[city]


def list_contacts() -> list[Contact]:
    """Everyone who takes the morning mail."""
    return _CONTACTS


def send_email(to: str, subject: str, body: str) -> str:
    """Send an email and return the id of the message.

    Args:
        to: The address of the recipient.
        subject: One line.
        body: Plain text.
    """
    user, _, host = to.partition("@")
    if not user or "." not in host:
        raise ValueError(f"{to!r} is not an email address")
    return f"message-{len(subject) + len(body)}-{user}"


def _text(article: Article) -> str:
    return f"{article.title} {article.summary}".lower()


def _price(symbol: str, days_ago: int) -> float:
    if symbol not in _PRICES:
        raise LookupError(f"no stock is called {symbol}")
    price, slope = _PRICES[symbol]
    return round(price - slope * days_ago + 2 * math.sin(days_ago), 2)


_TODAY = date(2025, 11, 14)

_PRICES = {"ACME": (182.4, 0.9), "GLBX": (58.1, -1.3), "INIT": (311.0, 0.2)}
"""Today's price, and what it gained each day."""

_PORTFOLIO = [Holding("ACME", 40, 150.0), Holding("GLBX", 120, 88.0), Holding("INIT", 10, 300.0)]

_WEATHER = {
    "Lisbon": Weather("Lisbon", 21.5, "sunny"),
    "Oslo": Weather("Oslo", 2.0, "cloudy"),
}

_CONTACTS = [
    Contact("Ana", "ana@example.com", "Lisbon"),
    Contact("Bo", "bo(at)example", "Oslo"),
    Contact("Cy", "cy@example.com", "Atlantis"),
]

_ARTICLES = [
    Article("Underdogs win the cup", "Daily Match", "Sport news: a fairy tale on penalties."),
    Article("Marathon record falls", "Daily Match", "Sport news: science helped, says the coach."),
    Article("Ceasefire holds", "World Desk", "International affairs news: talks go on."),
    Article("Harbour treaty signed", "World Desk", "International affairs news: two ports agree."),
    Article("Ice found below the crater", "Orbit", "Science teams celebrate a lunar first."),
    Article("A quieter heat pump", "Tech Weekly", "Business is brisk for the ACME engineers."),
    Article("Globex recalls its robots", "Market Wire", "GLBX shares slide; business slows."),
    Article("Initech opens in Lisbon", "Market Wire", "INIT takes its business to Portugal."),
]
