"""What the session examples share: tools, the callback that carries them out, and a question."""

from pydantic_core import to_jsonable_python

from coderelay import tool

from tools import get_portfolio, get_stock_history, get_stock_price, web_search

FUNCTIONS = {
    each.__name__: tool(each)
    for each in (get_portfolio, get_stock_history, get_stock_price, web_search)
}
TOOLS = [each.declaration for each in FUNCTIONS.values()]  # or dicts, as any API has them
QUESTION = "Which of my stocks fell most within a month, and what is in the news about it?"


def callback(req_id: str, name: str, arguments: dict):
    """Your tools stay yours: this is where a call of the model's code ends up."""
    print(f"→ {name} {arguments}")
    return to_jsonable_python(FUNCTIONS[name](**arguments))
