"""A model that calls tools until it has an answer. The server brings the checkpointer."""

from langchain_core.messages import SystemMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from model import choose_model
from tools import get_weather

TOOLS = [get_weather]
PROMPT = SystemMessage("You are a friendly assistant. Use the weather tool where it helps.")
model = choose_model().bind_tools(TOOLS)


async def call_model(state: MessagesState, config: RunnableConfig) -> dict:
    return {"messages": [await model.ainvoke([PROMPT, *state["messages"]], config)]}


graph = (
    StateGraph(MessagesState)
    .add_node("model", call_model)
    .add_node("tools", ToolNode(TOOLS, handle_tool_errors=True))
    .add_edge(START, "model")
    .add_conditional_edges("model", tools_condition)
    .add_edge("tools", "model")
    .compile()
)
