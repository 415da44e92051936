"""A question to an agent: tools are plain functions, and the loop is not yours to write.

    coderelay serve --upstream http://127.0.0.1:11434/v1    (in another terminal)
    MODEL=qwen3 python stocks_agent.py
"""

import os

from coderelay import Agent

from tools import get_portfolio, get_stock_history, get_stock_price, web_search

agent = Agent(
    os.environ.get("CODERELAY_URL", "http://127.0.0.1:8700/v1"),
    model=os.environ.get("MODEL", "default"),
    api_key=os.environ.get("OPENAI_API_KEY"),
    tools=[get_portfolio, get_stock_price, get_stock_history, web_search],
)
print(agent.run_sync("Which of my stocks should I worry about, and why?"))
