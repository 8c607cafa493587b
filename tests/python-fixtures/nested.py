"""Three graphs in each other: `gp_two` is the parent, whose `p_two` is the child."""

import operator
from typing import Annotated

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict


class State(TypedDict):
    messages: Annotated[list[str], operator.add]


def entered(node: str):
    return lambda _: {"messages": [f"Entered {node} node"]}


child = (
    StateGraph(State)
    .add_node("c_one", entered("c_one"))
    .add_node("c_two", entered("c_two"))
    .add_edge(START, "c_one")
    .add_edge("c_one", "c_two")
    .add_edge("c_two", END)
    .compile()
)

parent = (
    StateGraph(State)
    .add_node("p_one", entered("p_one"))
    .add_node("p_two", child)
    .add_edge(START, "p_one")
    .add_edge("p_one", "p_two")
    .add_edge("p_two", END)
    .compile()
)

graph = (
    StateGraph(State)
    .add_node("gp_one", entered("gp_one"))
    .add_node("gp_two", parent)
    .add_edge(START, "gp_one")
    .add_edge("gp_one", "gp_two")
    .add_edge("gp_two", END)
    .compile()
)
