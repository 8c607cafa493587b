"""Graphs of the shapes that projects have, and of the ways to go wrong."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import enum
import operator
import os
import signal
import time
import uuid
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langchain_core.tools import tool
from langgraph.func import entrypoint, task
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import ToolNode
from langgraph.pregel.remote import RemoteGraph
from langgraph.types import interrupt
from pydantic import BaseModel
from typing_extensions import TypedDict


class Steps(TypedDict, total=False):
    steps: Annotated[list[str], operator.add]
    seconds: float
    flag: str


def node(name: str, work: Any = None) -> Any:
    def run(state: Steps) -> Steps:
        if work:
            work(state)
        return {"steps": [name]}

    return run


def of(state: Any, *nodes: tuple[str, Any], **options: Any) -> Any:
    graph = StateGraph(state)
    for name, run in nodes:
        graph.add_node(name, run)
    names = [START, *(name for name, _ in nodes), END]
    for one, other in pairwise(names):
        graph.add_edge(one, other)
    return graph.compile(**options)


async def block(state: Steps) -> Steps:
    # On the loop, on purpose: nothing else of the worker goes on meanwhile.
    with open(state["flag"], "w") as file:
        file.write("blocks")
    until = time.monotonic() + state["seconds"]
    while time.monotonic() < until:
        time.sleep(0.05)
    return {"steps": ["block"]}


blocking = of(Steps, ("begin", node("begin")), ("block", block))


def kill_once(state: Steps) -> None:
    """Ends the worker, the first time that it comes here."""
    if not os.path.exists(state["flag"]):
        with open(state["flag"], "w") as file:
            file.write(str(os.getpid()))
        os.kill(os.getpid(), signal.SIGKILL)


deadly = of(Steps, ("begin", node("begin")), ("kill", node("kill", kill_once)), ("after", node("after")))

OPENED: list[str] = []


@contextlib.asynccontextmanager
async def managed(config: RunnableConfig):
    """A factory that opens something for as long as its graph is used."""
    OPENED.append("opened")
    name = config.get("configurable", {}).get("name", "managed")
    try:
        yield of(Steps, (name, node(name)))
    finally:
        OPENED.pop()


def described(config: RunnableConfig, runtime: Any) -> StateGraph:
    """A factory that looks at what it is asked for."""
    access = runtime.access_context
    return StateGraph(Steps).add_node("say", node(access)).add_edge(START, "say").add_edge("say", END)


def plain() -> Any:
    """A factory without parameters."""
    return of(Steps, ("only", node("only")))


def twice(number: int) -> int:
    return number * 2


async def many(state: Steps) -> dict:
    """Calls chains, one by one and in a sequence."""
    chain = RunnableLambda(twice)
    for number in range(3):
        await chain.ainvoke(number)
    await (chain | chain).ainvoke(1)
    return {"steps": ["many"]}


def chains() -> Any:
    return of(Steps, ("many", many))


@task
async def double(number: int) -> int:
    await asyncio.sleep(0.001)
    return number * 2


@entrypoint()
async def functional(numbers: list[int]) -> dict:
    doubled = await asyncio.gather(*[double(number) for number in numbers])
    answer = interrupt({"sum": sum(doubled)})
    return {"doubled": list(doubled), "answer": answer}


class Colour(enum.Enum):
    RED = "red"


@dataclass
class Point:
    x: int
    y: float


class Person(BaseModel):
    name: str
    born: datetime.date


class Kept(TypedDict, total=False):
    colour: Colour
    point: Point
    person: Person
    when: datetime.datetime
    pair: tuple
    names: set
    whole: float
    data: bytes
    number: int
    ident: uuid.UUID
    by_number: dict
    kinds: dict


IDENT = uuid.UUID("12345678123456781234567812345678")


def make(state: Kept) -> Kept:
    return {
        "colour": Colour.RED,
        "point": Point(1, 2.0),
        "person": Person(name="Ada", born=datetime.date(1815, 12, 10)),
        "when": datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.UTC),
        "pair": (1, "two"),
        "names": {"ada"},
        "whole": 2.0,
        "data": b"\x00\xff",
        "number": 2**60,
        "ident": IDENT,
        "by_number": {"10": "ten", "9": "nine"},
    }


def check(state: Kept) -> Kept:
    """The types after a way through Berth's database."""
    return {"kinds": {name: type(value).__name__ for name, value in state.items() if name != "kinds"}}


values = of(Kept, ("make", make), ("ask", lambda _: {"whole": float(interrupt("go on?"))}), ("check", check))


class Talk(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]


def answer(state: Talk) -> Talk:
    return {"messages": [AIMessage(f"I have read {len(state['messages'])} messages")]}


grows = of(Talk, ("answer", answer))


class Wrong(Exception):
    pass


def fail(state: Steps) -> Steps:
    try:
        {}["missing"]
    except KeyError as error:
        raise Wrong("it is wrong") from error
    return {}


failing = of(Steps, ("begin", node("begin")), ("fail", fail))


@tool
def weather(city: str) -> str:
    """Tells the weather of a city."""
    return f"It is sunny in {city}"


CALL = {"name": "weather", "args": {"city": "Basel"}, "id": "call-1", "type": "tool_call"}


class Scripted(BaseChatModel):
    """Gives one answer."""

    answer: AIMessage

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **more: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self.answer)])


async def ask_model(state: Talk, config: RunnableConfig) -> Talk:
    usage = {"input_tokens": 3, "output_tokens": 5, "total_tokens": 8}
    first = AIMessage("", tool_calls=[CALL], usage_metadata=usage)
    return {"messages": [await Scripted(answer=first).ainvoke(state["messages"], config)]}


async def tell(state: Talk, config: RunnableConfig) -> Talk:
    return {"messages": [await Scripted(answer=AIMessage("It is sunny")).ainvoke(state["messages"], config)]}


models = of(Talk, ("ask", ask_model), ("tools", ToolNode([weather])), ("tell", tell))


class Counted(TypedDict, total=False):
    steps: Annotated[list[int], operator.add]
    wanted: int


async def step(state: Counted) -> Counted:
    await asyncio.sleep(0.04)
    return {"steps": [len(state["steps"])]}


def again(state: Counted) -> str:
    return END if len(state["steps"]) >= state["wanted"] else "step"


counted = (
    StateGraph(Counted)
    .add_node("step", step)
    .add_edge(START, "step")
    .add_conditional_edges("step", again)
    .compile()
)


class Asked(TypedDict, total=False):
    word: str
    steps: list[str]


async def ask_script(state: Asked, config: RunnableConfig) -> Asked:
    url = config["metadata"]["langgraph_api_url"]
    return {"word": (await RemoteGraph("script", url=url).ainvoke({}))["word"]}


asks_script = of(Asked, ("ask", ask_script))
