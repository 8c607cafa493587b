"""State schemas that are written with `typing.TypedDict`, which pydantic refuses before Python 3.12."""

import operator
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired, Optional, Required, TypedDict, Union

import typing_extensions
from langchain_core.messages import AnyMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.runtime import Runtime


class Step(TypedDict):
    title: str
    done: bool


class Plan(TypedDict, total=False):
    """A plan of steps."""

    steps: list[Step]
    owner: Required[str]
    next: "Optional[Plan]"


class Base(TypedDict):
    topic: str


class State(Base, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    notes: Annotated[list[str], operator.add]
    plan: Plan
    by_name: dict[str, Union[Step, None]]
    kind: Required[Literal["a", "b"]]
    secret: NotRequired[int]


class Question(TypedDict):
    topic: str
    kind: Literal["a", "b"]
    limit: NotRequired[int]


class Answer(TypedDict):
    plan: Plan


class Settings(TypedDict, total=False):
    model: str
    retries: int


def node(state: State, runtime: Runtime[Settings]) -> Any:
    return {"plan": {"owner": "x"}}


graph = (
    StateGraph(State, input_schema=Question, output_schema=Answer, context_schema=Settings)
    .add_node("node", node)
    .add_edge(START, "node")
    .add_edge("node", END)
    .compile()
)


class Mixed(typing_extensions.TypedDict):
    """Of typing_extensions, with a field of typing's."""

    step: Step
    topic: str


mixed = (
    StateGraph(Mixed)
    .add_node("node", lambda _: {"topic": "x"})
    .add_edge(START, "node")
    .add_edge("node", END)
    .compile()
)


@dataclass
class Held:
    step: Step
    topic: str = ""


held = (
    StateGraph(Held)
    .add_node("node", lambda _: {"topic": "x"})
    .add_edge(START, "node")
    .add_edge("node", END)
    .compile()
)


class Connection:
    """Pydantic cannot describe it."""


class Opaque(TypedDict):
    topic: str
    step: Step
    connection: Connection


opaque = (
    StateGraph(Opaque)
    .add_node("node", lambda _: {"topic": "x"})
    .add_edge(START, "node")
    .add_edge("node", END)
    .compile()
)
