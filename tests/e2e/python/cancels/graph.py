"""The same graph as stubborn.ts."""

from __future__ import annotations

import time
from pathlib import Path

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    seconds: float
    file: str


def work(state: State) -> State:
    Path(state["file"] + ".begun").touch()
    time.sleep(state["seconds"])
    Path(state["file"] + ".ended").touch()
    return {}


builder = StateGraph(State)
builder.add_node("work", work)
builder.add_edge(START, "work")
builder.add_edge("work", END)
graph = builder.compile()
