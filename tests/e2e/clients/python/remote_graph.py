"""RemoteGraph of langgraph, by itself and as a node of a graph that runs here."""

import asyncio
import operator
from functools import cache
from typing import Annotated, TypedDict
from uuid import uuid4

from checks import GIVEN, KEY, SAID, URL, Awaited, collected, each, once, refused, same, texts
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.pregel.remote import RemoteException, RemoteGraph
from langgraph.types import Command


@cache
def connection():
    """A pair of clients: to make them takes longer than what is checked."""
    first = RemoteGraph("agent", url=URL, api_key=KEY)
    return {"client": first.client, "sync_client": first.sync_client}


def remote(name, **options):
    return RemoteGraph(name, **connection(), **options)


class Twin:
    """The sync methods of a RemoteGraph under the names of the async ones."""

    def __init__(self, graph):
        self._graph = Awaited(graph)

    def __getattr__(self, name):
        return getattr(self._graph, name.removeprefix("a"))


def each_kind(check):
    """Runs a check with the async methods, then with the sync ones."""

    async def run():
        await check(remote)
        await check(lambda name, **options: Twin(remote(name, **options)))

    return run


def fresh(**more):
    return {"configurable": {"thread_id": str(uuid4()), **more}}


@once("invoke: values, config, context, breakpoints, both versions")
@each_kind
async def invoke(remote):
    same(texts(await remote("agent").ainvoke(GIVEN)), SAID)
    config = {"configurable": {"delay": 3}, "tags": ["t"], "metadata": {"m": 1}}
    same(texts(await remote("delay").ainvoke({}, config)), ["finished after 3ms"])
    same((await remote("runtime").ainvoke({}, context={"model": "openai"}))["model"], "openai")
    named = remote("delay", config={"configurable": {"delay": 4}})
    same(texts(await named.ainvoke({})), ["finished after 4ms"])
    config = fresh()
    for options, said in (({"interrupt_before": ["tool"]}, SAID[:2]), ({"interrupt_after": "*"}, SAID[:3])):
        given = GIVEN if said == SAID[:2] else None
        # The last values of a run that stops at a breakpoint are LangGraph's own word for it.
        same(await remote("agent").ainvoke(given, config, **options), {"__interrupt__": []})
        same(texts((await remote("agent").aget_state(config)).values), said)
    same(texts(await remote("agent").ainvoke(None, config)), SAID)
    output = await remote("agent").ainvoke(GIVEN, version="v2")
    same((texts(output.value), output.interrupts), (SAID, ()))


@once("stream: modes, several of them, subgraphs, version v2")
@each_kind
async def stream(remote):
    agent = remote("agent")
    same([list(one) for one in await collected(agent.astream(GIVEN))], [["agent"], ["tool"], ["agent"]])
    values = await collected(agent.astream(GIVEN, stream_mode="values"))
    same([texts(one) for one in values], [SAID[:n] for n in range(1, 5)])
    parts = await collected(agent.astream(GIVEN, stream_mode=["values", "custom", "tasks"]))
    same({part.event for part in parts}, {"values", "tasks"})
    given = {"messages": [{"role": "human", "content": "words 3"}]}
    said = await collected(remote("chat").astream(given, stream_mode="messages"))
    same("".join(message["content"] for message, _ in said), "w0 w1 w2")
    custom = await collected(remote("named").astream({"messages": []}, stream_mode="custom"))
    same(custom[0], {"progress": 1})
    deep = await collected(remote("nested").astream({}, subgraphs=True))
    same({len(ns) for ns, _ in deep}, {0, 1, 2})
    pairs = await collected(remote("nested").astream({}, subgraphs=True, stream_mode=["updates", "values"]))
    same({mode for _, mode, _ in pairs}, {"updates", "values"})
    v2 = await collected(agent.astream(GIVEN, stream_mode="values", version="v2"))
    same([(part["type"], part["ns"]) for part in v2], [("values", ())] * 4)


@once("a graph that fails")
@each_kind
async def failure(remote):
    error = await refused(RemoteException, remote("error").ainvoke({}))
    same((error.args[0]["error"], error.args[0]["message"]), ("CustomError", "Boo!"))


@once("get_state, update_state, get_state_history")
@each_kind
async def state(remote):
    agent, config = remote("agent"), fresh()
    await agent.ainvoke(GIVEN, config)
    now = await agent.aget_state(config)
    same((texts(now.values), now.next, now.tasks), (SAID, (), ()))
    same(now.config["configurable"]["thread_id"], config["configurable"]["thread_id"])
    history = await collected(agent.aget_state_history(config))
    same([len(one.values.get("messages", [])) for one in history], [4, 3, 2, 1, 0])
    same([one.next for one in history], [(), ("agent",), ("tool",), ("agent",), ("__start__",)])
    same(history[0].parent_config, history[1].config)
    same((await agent.aget_state(history[2].config)).values, history[2].values)
    same(len(await collected(agent.aget_state_history(config, limit=2))), 2)
    before = await collected(agent.aget_state_history(config, before=history[2].config, limit=1))
    same(before[0].config, history[3].config)
    inputs = await collected(agent.aget_state_history(config, filter={"source": "input"}))
    same(len(inputs), 1)
    written = await agent.aupdate_state(config, {"messages": [{"role": "human", "content": "more"}]})
    same((await agent.aget_state(config)).config["configurable"], written["configurable"])
    await agent.aupdate_state(config, {"messages": [{"role": "ai", "content": "so"}]}, as_node="tool")
    now = await agent.aget_state(config)
    same((texts(now.values)[-2:], now.next), (["more", "so"], ("agent",)))
    inner, config = remote("interrupting"), fresh()
    await inner.ainvoke({"where": "subgraph"}, config)
    [task] = (await inner.aget_state(config, subgraphs=True)).tasks
    same((task.name, task.state.next), ("inspection", ("inspect",)))


@once("interrupts, and Command with resume, goto and update")
@each_kind
async def interrupts(remote):
    graph, config = remote("interrupting"), fresh()
    updates = await collected(graph.astream({"where": "both"}, config, stream_mode="updates"))
    same(updates[-1]["__interrupt__"][0]["value"], {"question": "node?"})
    state = await graph.aget_state(config)
    same((state.next, state.interrupts[0].value), (("ask",), {"question": "node?"}))
    output = await graph.ainvoke(Command(resume="yes"), config, version="v2")
    same(output.interrupts[0].value, {"question": "subgraph?"})
    done = await graph.ainvoke(Command(resume={output.interrupts[0].id: "fine"}), config)
    same((done["answer"], done["review"]), ("yes", "fine"))
    route, config = remote("route"), fresh()
    await route.ainvoke({}, config)
    done = await route.ainvoke(Command(goto="aside", update={"note": "n"}), config)
    same((done["visited"], done["note"]), (["start", "aside"], "n"))


@once("get_graph: a drawing, with xray")
@each_kind
async def drawing(remote):
    drawn = await remote("nested").aget_graph()
    same(set(drawn.nodes), {"__start__", "gp_one", "gp_two", "__end__"})
    same({(edge.source, edge.target) for edge in drawn.edges} >= {("gp_one", "gp_two")}, True)
    assert "gp_one" in drawn.draw_mermaid(), drawn
    deep = await remote("nested").aget_graph(xray=True)
    assert "gp_two:p_two:c_one" in deep.nodes, deep.nodes


@once("stream_events version v3: the thread stream of the client")
async def events():
    graph = remote("tool")
    asked = {"messages": [{"role": "human", "content": "weather?"}]}
    async with await graph.astream_events(asked, version="v3") as run:
        [call] = [call async for call in run.tool_calls]
        same(call.name, "get_weather")
        same(texts(await run.output())[-1], "It is: Sunny in Paris on the Seine")

    def sync():
        with graph.stream_events(asked, version="v3") as run:
            same(["".join(message.text) for message in run.messages][0], "Checking. ")
            return run.output

    same(texts(await asyncio.to_thread(sync))[-1], "It is: Sunny in Paris on the Seine")


class State(TypedDict):
    messages: Annotated[list, operator.add]


class Asked(TypedDict, total=False):
    where: str
    answer: str
    review: str


@once("a node of a local graph: invoked, streamed with its subgraphs")
async def node():
    def last(state):
        return {"messages": [f"then {len(state['messages'])}"]}

    builder = StateGraph(State).add_node("remote", remote("nested")).add_node("last", last)
    graph = builder.add_edge(START, "remote").add_edge("remote", "last").add_edge("last", END).compile()
    done = await graph.ainvoke({"messages": []})
    same(done["messages"][-2], "Entered c_two node")
    same(graph.invoke({"messages": []}), done)
    deep = await collected(graph.astream({"messages": []}, subgraphs=True, stream_mode="updates"))
    same({len(ns) for ns, _ in deep}, {0, 1, 2, 3})
    inner = [update for ns, update in deep if len(ns) == 3]
    same([list(update) for update in inner], [["c_one"], ["c_two"]])


@once("a node of a local graph: its interrupt is the local graph's")
async def node_interrupt():
    builder = StateGraph(Asked).add_node("remote", remote("interrupting"))
    graph = builder.add_edge(START, "remote").compile(checkpointer=InMemorySaver())
    config = fresh()
    asked = await graph.ainvoke({"where": "node"}, config)
    same(asked["__interrupt__"][0].value, {"question": "node?"})
    same((await graph.aget_state(config)).next, ("remote",))
    # 1.2.12 does not hand a resume on to the other side, which is on the same thread.
    done = await remote("interrupting").ainvoke(Command(resume="yes"), config)
    same(done["answer"], "yes")


@once("a reader who leaves early ends the run's stream, not the thread")
async def left():
    config, graph = fresh(), remote("agent")
    async for _ in each(graph.astream(GIVEN, config)):
        break
    thread_id = config["configurable"]["thread_id"]
    [run] = await graph.client.runs.list(thread_id)
    same(texts(await graph.client.runs.join(thread_id, run["run_id"])), SAID)
