# Each step depends on the answer before it: which stock did worst, how did it
# fall, and why?

import asyncio
from dataclasses import dataclass
from statistics import mean


@dataclass(frozen=True)
class Position:
    symbol: str
    change: float  # since it was bought, in percent


async def position(holding) -> Position:
    price = await get_stock_price(symbol=holding["symbol"])
    change = round((price / holding["bought_at"] - 1) * 100, 1)
    return Position(holding["symbol"], change)


async def main():
    portfolio = await get_portfolio()
    positions = await asyncio.gather(*map(position, portfolio))
    worst = min(positions, key=lambda position: position.change)
    if worst.change > -5:
        return {"advice": "hold everything"}
    print(f"{worst.symbol} is at {worst.change} %")

    # A month of prices stays in here: a model sees only what is returned.
    history = await get_stock_history(symbol=worst.symbol, days=30)
    average = mean(close["price"] for close in history)
    news = await web_search(query=worst.symbol, limit=1)

    return {
        "advice": f"look into {worst.symbol}",
        "change": worst.change,
        "below_monthly_average": history[-1]["price"] < average,
        "lowest": min(history, key=lambda close: close["price"]),
        "reason": news[0]["title"] if news else "unknown",
    }
