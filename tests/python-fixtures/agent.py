"""Four steps: human, "begin", "tool_call__begin", "end". `should_end` as the first message stops after one answer."""

from __future__ import annotations

import asyncio
from typing import Annotated

from langchain_core.messages import AnyMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import interrupt
from letter_model import LetterModel
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    sleep: float | None
    interrupt: bool
    keyOne: str | None
    keyTwo: str | None


model = LetterModel()


async def agent(state: State, config: RunnableConfig) -> State:
    if state.get("interrupt"):
        interrupt("i want to interrupt")
    if state.get("sleep") and state["messages"][-1].type == "human":
        await asyncio.sleep(state["sleep"])
    return {"interrupt": False, "messages": [await model.ainvoke(state["messages"], config)]}


def tool(state: State) -> State:
    text = state["messages"][-1].text
    return {"messages": [ToolMessage(content=f"tool_call__{text}", tool_call_id="tool_call_id")]}


def after(state: State) -> str:
    messages = state["messages"]
    return END if messages[-1].text == "end" or messages[0].text == "should_end" else "tool"


# Uncompiled: whoever loads it compiles it.
graph = (
    StateGraph(State)
    .add_node("agent", agent)
    .add_node("tool", tool)
    .add_edge(START, "agent")
    .add_conditional_edges("agent", after, ["tool", END])
    .add_edge("tool", "agent")
)
