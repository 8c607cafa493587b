"""A state of pydantic; its node tells which model the context names."""

import operator
from typing import Annotated, Literal

from langchain_core.messages import AnyMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.runtime import Runtime
from pydantic import BaseModel, Field
from typing_extensions import TypedDict


class State(BaseModel):
    messages: Annotated[list[AnyMessage], add_messages] = Field(default_factory=list)
    model: str = "none"
    tags: Annotated[list[str], operator.add] = Field(default_factory=list)


class Context(TypedDict, total=False):
    model: Literal["openai", "anthropic"]


def tell(state: State, runtime: Runtime[Context]) -> dict:
    return {"model": (runtime.context or {}).get("model", "none")}


graph = (
    StateGraph(State, context_schema=Context)
    .add_node("tell", tell)
    .add_edge(START, "tell")
    .add_edge("tell", END)
    .compile()
)
