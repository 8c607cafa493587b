"""Takes `delay` milliseconds (from the input, else from `configurable.delay`), and stops at once when cancelled."""

import asyncio

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, MessagesState, StateGraph

DEFAULT_MS = 1000


class State(MessagesState, total=False):
    delay: int


async def long_running(state: State, config: RunnableConfig) -> dict:
    delay = state.get("delay") or config["configurable"].get("delay") or DEFAULT_MS
    await asyncio.sleep(delay / 1000)
    return {"messages": [{"role": "ai", "content": f"finished after {delay}ms"}]}


graph = (
    StateGraph(State)
    .add_node("long_running", long_running)
    .add_edge(START, "long_running")
    .add_edge("long_running", END)
    .compile()
)
