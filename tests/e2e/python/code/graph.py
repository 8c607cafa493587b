"""Tells who calls, and what the store finds."""

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    query: str
    user: str
    found: list[str]


async def look(state: State, config: RunnableConfig, *, store: BaseStore) -> State:
    user = config["configurable"]["langgraph_auth_user_id"]
    for text in ("red apples", "blue sky", "green grass"):
        await store.aput(("texts",), text.replace(" ", "-"), {"text": text})
    found = await store.asearch(("texts",), query=state["query"], limit=1)
    return {"user": user, "found": [item.value["text"] for item in found]}


graph = StateGraph(State).add_node("look", look).add_edge(START, "look").add_edge("look", END).compile()
