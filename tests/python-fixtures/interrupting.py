"""Asks by `interrupt({question})`; what it is resumed with becomes `answer`, and in the subgraph `review`."""

from typing import Literal

from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    where: Literal["node", "subgraph", "both"]
    answer: str | None
    review: str | None


def ask(question: str) -> str:
    return interrupt({"question": question})


review = (
    StateGraph(State)
    .add_node("inspect", lambda state: {"review": None if state.get("where") == "node" else ask("subgraph?")})
    .add_edge(START, "inspect")
    .add_edge("inspect", END)
    .compile()
)

graph = (
    StateGraph(State)
    .add_node("ask", lambda state: {"answer": None if state.get("where") == "subgraph" else ask("node?")})
    .add_node("inspection", review)
    .add_edge(START, "ask")
    .add_edge("ask", "inspection")
    .add_edge("inspection", END)
    .compile()
)
