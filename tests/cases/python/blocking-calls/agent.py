"""Nodes that block the event loop, or run another one, and then use the store or a checkpointed subgraph."""

import asyncio
import threading

from langgraph.config import get_config, get_store
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    how: str
    text: str


def append(state):
    return {"text": state.get("text", "") + "+sub"}


async def append_async(state):
    await asyncio.sleep(0.01)
    return append(state)


def ask(state):
    return {"text": str(interrupt("sure?"))}


def compiled(node, **options):
    return StateGraph(State).add_node("inner", node).add_edge(START, "inner").add_edge("inner", END).compile(**options)


plain, plain_async = compiled(append), compiled(append_async)
lasting = compiled(append, checkpointer=True)
asking = compiled(ask)


def put_and_get(key):
    get_store().put(("notes",), key, {"key": key})
    return get_store().get(("notes",), key).value["key"]


def in_thread(store):
    """A thread that the loop waits for uses the store."""
    results = []

    def work():
        store.put(("notes",), "thread", {"key": "thread"})
        results.append(store.get(("notes",), "thread").value["key"])

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return results[0]


def stored(many):
    store = get_store()
    for at in range(many):
        store.put(("many",), str(at), {"at": at})
    return sorted(int(item.key) for item in store.search(("many",), limit=many))


async def gathered():
    store = get_store()
    await asyncio.gather(*(store.aput(("gathered",), str(at), {"at": at}) for at in range(10)))
    return len(await store.asearch(("gathered",)))


async def async_node(state):
    how = state["how"]
    if how == "thread":
        return {"text": in_thread(get_store())}
    if how == "store":
        return {"text": put_and_get("on the loop")}
    if how == "many":
        return {"text": str(stored(20))}
    if how == "both":
        sync = put_and_get("both")
        item = await get_store().aget(("notes",), "both")
        return {"text": sync + item.value["key"]}
    if how == "subgraphs":
        first = plain.invoke({"text": "a"})["text"]
        return {"text": first + (await plain_async.ainvoke({"text": "b"}))["text"]}
    if how == "lasting":
        return {"text": lasting.invoke({"text": "x"})["text"]}
    if how == "ask":
        return {"text": asking.invoke({"text": "x"})["text"]}
    if how == "stream":
        return {"text": str(list(plain.stream({"text": "x"}, stream_mode=["values", "updates"])))}
    return {"text": "?"}


def sync_node(state):
    how = state["how"]
    if how == "sync-loop":
        return {"text": asyncio.run(plain_async.ainvoke({"text": "x"}))["text"]}
    if how == "sync-loop-lasting":
        return {"text": asyncio.run(lasting.ainvoke({"text": "x"}))["text"]}
    if how == "sync-loop-store":
        return {"text": str(asyncio.run(gathered()))}
    if how == "sync-loops":
        return {"text": "".join(asyncio.run(plain_async.ainvoke({"text": str(at)}))["text"] for at in range(3))}
    if how == "sync-ask":
        return {"text": asking.invoke({"text": "x"})["text"]}
    if how == "sync-step":
        return {"text": str((get_config().get("metadata") or {}).get("langgraph_step"))}
    return {"text": "?"}


def route(state):
    return "sync_node" if state["how"].startswith("sync-") else "async_node"


graph = (
    StateGraph(State)
    .add_node("async_node", async_node)
    .add_node("sync_node", sync_node)
    .add_conditional_edges(START, route, ["async_node", "sync_node"])
    .add_edge("async_node", END)
    .add_edge("sync_node", END)
    .compile()
)
