"""Writes `{step, of}` to the custom stream, `count` times (3 by default), and dispatches one custom event."""

from langchain_core.callbacks import adispatch_custom_event
from langchain_core.runnables import RunnableConfig
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    count: int


async def report(state: State, config: RunnableConfig) -> State:
    count = state.get("count", 3)
    write = get_stream_writer()
    for step in range(1, count + 1):
        write({"step": step, "of": count})
    await adispatch_custom_event("reported", {"count": count}, config=config)
    return {"count": count}


graph = (
    StateGraph(State).add_node("report", report).add_edge(START, "report").add_edge("report", END).compile()
)
