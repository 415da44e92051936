from langchain.agents import create_agent
from langchain_anthropic import ChatAnthropic
from langgraph.checkpoint.memory import InMemorySaver
from tools import get_price, get_stock

model = ChatAnthropic(model="qwen3", base_url="http://127.0.0.1:8700", api_key="my-key")
agent = create_agent(model, [get_stock, get_price], checkpointer=InMemorySaver())
config = {"configurable": {"thread_id": "1"}}


def ask(question):
    request = {"messages": [{"role": "user", "content": question}]}
    return agent.invoke(request, config)["messages"][-1].text


def stream(question):
    request = {"messages": [{"role": "user", "content": question}]}
    for piece, about in agent.stream(request, config, stream_mode="messages"):
        if about["langgraph_node"] == "model" and piece.text:
            yield piece.text
