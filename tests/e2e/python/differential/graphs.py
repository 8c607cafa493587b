"""Twenty graphs, and what is asked of each: they run bare and through Berth, and both have to say the same."""

from __future__ import annotations

import asyncio
import operator
from itertools import pairwise
from typing import Annotated, Any, Literal

from langchain_core.messages import AIMessage, AnyMessage, RemoveMessage
from langgraph.config import get_stream_writer
from langgraph.func import entrypoint, task
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command, Overwrite, RetryPolicy, Send, interrupt
from pydantic import BaseModel
from typing_extensions import TypedDict


class Log(TypedDict, total=False):
    log: Annotated[list[str], operator.add]
    number: int
    text: str
    answer: Any


class Talk(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]


def says(name: str, **more: Any) -> Any:
    return lambda _: {"log": [name], **more}


def said_soon(name: str) -> Any:
    """On the loop: of several nodes at once, threads end in whichever order."""

    async def say(_: Log) -> Log:
        return {"log": [name]}

    return say


async def part(state: Log) -> Log:
    return {"log": [f"part {state['number']}"]}


async def one(_: Log) -> Log:
    return {"log": [f"one {interrupt('one?')}"]}


async def other(_: Log) -> Log:
    return {"log": [f"other {interrupt('other?')}"]}


def chain(state: Any, *nodes: tuple[str, Any], **options: Any) -> Any:
    graph = StateGraph(state)
    for name, run in nodes:
        graph.add_node(name, run)
    names = [START, *(name for name, _ in nodes), END]
    for one, other in pairwise(names):
        graph.add_edge(one, other)
    return graph.compile(**options)


straight = chain(Log, ("one", says("one")), ("two", says("two", number=2)), ("three", says("three")))

branches = (
    StateGraph(Log)
    .add_node("left", says("left"))
    .add_node("right", says("right"))
    .add_conditional_edges(START, lambda state: "left" if state["number"] < 0 else "right", ["left", "right"])
    .add_edge("left", END)
    .add_edge("right", END)
    .compile()
)

loop = (
    StateGraph(Log)
    .add_node("count", lambda state: {"number": state["number"] + 1, "log": [f"at {state['number']}"]})
    .add_edge(START, "count")
    .add_conditional_edges("count", lambda state: END if state["number"] >= 4 else "count", ["count", END])
    .compile()
)

parallel = (
    StateGraph(Log)
    .add_node("a", said_soon("a"))
    .add_node("b", said_soon("b"))
    .add_node("join", says("join"))
    .add_edge(START, "a")
    .add_edge(START, "b")
    .add_edge(["a", "b"], "join")
    .add_edge("join", END)
    .compile()
)

fan_out = (
    StateGraph(Log)
    .add_node("part", part)
    .add_node("end", says("end"))
    .add_conditional_edges(START, lambda _: [Send("part", {"number": at}) for at in range(3)], ["part"])
    .add_edge("part", "end")
    .add_edge("end", END)
    .compile()
)


class Inner(TypedDict, total=False):
    log: Annotated[list[str], operator.add]
    secret: str


inside = chain(Inner, ("open", lambda _: {"log": ["open"], "secret": "hidden"}), ("shut", says("shut")))
subgraph = chain(Log, ("before", says("before")), ("inner", inside), ("after", says("after")))
deeper = chain(Log, ("outer", subgraph), ("last", says("last")))


def ask(question: str) -> Any:
    return lambda _: {"answer": interrupt({"question": question}), "log": ["answered"]}


asks = chain(Log, ("before", says("before")), ("ask", ask("go on?")), ("after", says("after")))
asks_inside = chain(
    Log, ("before", says("before")), ("inner", chain(Log, ("ask", ask("inside?")))), ("after", says("after"))
)


def twice(_: Log) -> Log:
    first = interrupt("first?")
    second = interrupt("second?")
    return {"answer": [first, second], "log": ["both"]}


asks_twice = chain(Log, ("twice", twice))

asks_together = (
    StateGraph(Log)
    .add_node("one", one)
    .add_node("other", other)
    .add_edge(START, "one")
    .add_edge(START, "other")
    .add_edge("one", END)
    .add_edge("other", END)
    .compile()
)

stops = chain(
    Log, ("one", says("one")), ("two", says("two")), ("three", says("three")), interrupt_before=["two"]
)


def jump(state: Log) -> Command[Literal["near", "far"]]:
    return Command(goto="far" if state["number"] else "near", update={"log": ["jumped"]})


jumps = (
    StateGraph(Log)
    .add_node("jump", jump)
    .add_node("near", says("near"))
    .add_node("far", says("far"))
    .add_edge(START, "jump")
    .add_edge("near", END)
    .add_edge("far", END)
    .compile()
)


def out(_: Log) -> Command[Any]:
    return Command(graph=Command.PARENT, goto="elsewhere", update={"log": ["left"]})


leaves = (
    StateGraph(Log)
    .add_node("inner", chain(Log, ("out", out)))
    .add_node("elsewhere", says("elsewhere"))
    .add_edge(START, "inner")
    .add_edge("elsewhere", END)
    .compile()
)

TRIES = {"left": 2}


class Later(Exception):
    pass


def flaky(_: Log) -> Log:
    TRIES["left"] -= 1
    if TRIES["left"] >= 0:
        raise Later("not yet")
    return {"log": ["at last"]}


retries = (
    StateGraph(Log)
    .add_node("flaky", flaky, retry_policy=RetryPolicy(max_attempts=5, initial_interval=0.01, retry_on=Later))
    .add_edge(START, "flaky")
    .add_edge("flaky", END)
    .compile()
)


def fail(_: Log) -> Log:
    raise ValueError("it does not work")


fails = chain(Log, ("one", says("one")), ("fail", fail), ("three", says("three")))


async def writes(_: Log) -> Log:
    write = get_stream_writer()
    for at in range(3):
        write({"at": at})
        await asyncio.sleep(0)
    return {"log": ["wrote"]}


custom = chain(Log, ("writes", writes))

conversation = chain(
    Talk,
    (
        "answer",
        lambda state: {
            "messages": [AIMessage(f"I have read {len(state['messages'])}", id=f"a{len(state['messages'])}")]
        },
    ),
    ("forget", lambda state: {"messages": [RemoveMessage(state["messages"][0].id)]}),
)

overwrites = chain(Log, ("add", says("added")), ("reset", lambda _: {"log": Overwrite(["only this"])}))


class Checked(BaseModel):
    number: int
    log: Annotated[list[str], operator.add] = []


validates = chain(Checked, ("one", lambda state: {"log": [f"{state.number + 1}"]}))


@task
async def square(number: int) -> int:
    await asyncio.sleep(0)
    return number * number


@entrypoint()
async def functional(numbers: list[int]) -> dict:
    squares = await asyncio.gather(*[square(number) for number in numbers])
    answer = interrupt({"squares": list(squares)})
    return {"squares": list(squares), "answer": answer}


def said(text: str, own: str) -> dict[str, Any]:
    return {"messages": [{"type": "human", "content": text, "id": own}]}


# What is asked of each graph, one after the other.
SCRIPTS: dict[str, list[dict[str, Any]]] = {
    "straight": [{"input": {"log": ["start"]}}, {"input": {"text": "again"}}],
    "branches": [{"input": {"number": -1}}, {"input": {"number": 1}}],
    "loop": [{"input": {"number": 0}}],
    "parallel": [{"input": {"log": []}}],
    "fan_out": [{"input": {"log": []}}],
    "subgraph": [{"input": {"log": []}}],
    "deeper": [{"input": {"log": []}}],
    "asks": [{"input": {"log": []}}, {"resume": "yes"}],
    "asks_inside": [{"input": {"log": []}}, {"resume": {"deep": True}}],
    "asks_twice": [{"input": {"log": []}}, {"resume": 1}, {"resume": 2}],
    "asks_together": [{"input": {"log": []}}],
    "stops": [{"input": {"log": []}}, {"input": None}],
    "jumps": [{"input": {"number": 0}}, {"input": {"number": 1}}],
    "leaves": [{"input": {"log": []}}],
    "retries": [{"input": {"log": []}}],
    "fails": [{"input": {"log": []}}],
    "custom": [{"input": {"log": []}}],
    "conversation": [{"input": said("hello", "h1")}, {"input": said("again", "h2")}],
    "overwrites": [{"input": {"log": ["start"]}}],
    "validates": [{"input": {"number": 4}}],
    "functional": [{"input": [2, 3]}, {"resume": "fine"}],
}
