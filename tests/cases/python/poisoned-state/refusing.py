"""Graphs whose code takes a value in a run and refuses it when the state is read."""

from typing import Annotated, Any

from langgraph.channels import DeltaChannel
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict


def refuse(what: str) -> Any:
    raise ValueError(f"{what} refuses this value")


def reducer(known: list, writes: list) -> list:
    written = [text for write in writes for text in write]
    if len(writes) > 1 and "poison" in written:
        refuse("the reducer")
    return [*(known or []), *written]


class State(TypedDict, total=False):
    log: Annotated[list, DeltaChannel(reducer)]
    how: str


def first(state: dict) -> dict:
    return {"log": [state["how"]]}


def built(schema: Any, node: Any) -> Any:
    builder = StateGraph(schema).add_node("first", node).add_node("second", lambda _: {"log": ["second"]})
    return builder.add_edge(START, "first").add_edge("first", "second").add_edge("second", END).compile()


rebuilt = built(State, first)


def factory(config: dict) -> Any:
    return refuse("the factory") if config["configurable"].get("poison") else rebuilt
