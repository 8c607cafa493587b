"""The same graph as graph.ts."""

from __future__ import annotations

from typing import Annotated, Any

from langchain_core.messages import AnyMessage, ToolMessage
from langgraph.func import entrypoint
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import interrupt
from pydantic import BaseModel
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    doc: Any
    answer: Any
    messages: Annotated[list[AnyMessage], add_messages]


def tool(state: State) -> State:
    return {"messages": [ToolMessage("done", tool_call_id="c", artifact=state["doc"])]}


def ask(state: State) -> State:
    return {"answer": interrupt(state["doc"])}


builder = StateGraph(State)
builder.add_node("tool", tool)
builder.add_node("ask", ask)
builder.add_edge(START, "tool")
builder.add_edge("tool", "ask")
builder.add_edge("ask", END)
graph = builder.compile()


@entrypoint()
def returns(given: Any) -> Any:
    """Returns its input."""
    return given


class Strict(BaseModel):
    """Refuses what the node returns when it is read."""

    items: list[str] = []


strict_builder = StateGraph(Strict)
strict_builder.add_node("first", lambda _: {"items": [None]})
strict_builder.add_node("second", lambda _: {})
strict_builder.add_edge(START, "first")
strict_builder.add_edge("first", "second")
strict_builder.add_edge("second", END)
strict = strict_builder.compile()
