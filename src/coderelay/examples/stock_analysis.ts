// Each step depends on the answer before it: which stock did worst, how did it
// fall, and why?

interface Position {
  symbol: string;
  change: number; // since it was bought, in percent
}

async function position(holding: { symbol: string; bought_at: number }) {
  const price = await getStockPrice({ symbol: holding.symbol });
  const change = Math.round((price / holding.bought_at - 1) * 1000) / 10;
  return { symbol: holding.symbol, change } satisfies Position;
}

async function main() {
  const portfolio = await getPortfolio();
  const positions: Position[] = await Promise.all(portfolio.map(position));
  const worst = positions.reduce((a, b) => (a.change < b.change ? a : b));
  if (worst.change > -5) return { advice: "hold everything", positions };
  console.warn(`${worst.symbol} is at ${worst.change} %`);

  // A month of prices stays in here: a model sees only what is returned.
  const history = await getStockHistory({ symbol: worst.symbol, days: 30 });
  const total = history.reduce((sum, close) => sum + close.price, 0);
  const [reason] = await webSearch({ query: worst.symbol, limit: 1 });

  return {
    advice: `look into ${worst.symbol}`,
    change: worst.change,
    belowMonthlyAverage: history.at(-1)!.price < total / history.length,
    lowest: history.reduce((a, b) => (a.price < b.price ? a : b)),
    reason: reason?.title ?? "unknown",
  };
}
