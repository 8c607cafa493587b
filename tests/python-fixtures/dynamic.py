"""A factory: the graph's only node is named by `configurable.nodeName`, "node" by default."""

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, MessagesState, StateGraph


async def graph(config: RunnableConfig) -> StateGraph:
    name = config.get("configurable", {}).get("nodeName", "node")
    return (
        StateGraph(MessagesState)
        .add_node(name, lambda _: {"messages": [{"role": "ai", "content": f"from {name}"}]})
        .add_edge(START, name)
        .add_edge(name, END)
    )
