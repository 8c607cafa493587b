"""Keeps a note in the store and tells the one it kept before, whichever thread that was on."""

from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    note: str
    previous: str | None


NAMESPACE = ("notes", "ada")


async def remember(state: State, *, store: BaseStore) -> State:
    kept = await store.aget(NAMESPACE, "last")
    await store.aput(NAMESPACE, "last", {"note": state["note"]})
    return {"previous": kept.value["note"] if kept else None}


graph = (
    StateGraph(State)
    .add_node("remember", remember)
    .add_edge(START, "remember")
    .add_edge("remember", END)
    .compile()
)
