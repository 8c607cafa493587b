"""Stops inside its subgraph before the report is written, so that the city can be changed there."""

from langchain_core.messages import AIMessage
from langgraph.graph import END, START, MessagesState, StateGraph


class State(MessagesState):
    city: str


weather = (
    StateGraph(State)
    .add_node("choose", lambda _: {"city": "San Francisco"})
    .add_node("report", lambda state: {"messages": [AIMessage(f"It's sunny in {state['city']}!")]})
    .add_edge(START, "choose")
    .add_edge("choose", "report")
    .add_edge("report", END)
    .compile(interrupt_before=["report"])
)

graph = (
    StateGraph(MessagesState)
    .add_node("route", lambda _: {})
    .add_node("weather", weather)
    .add_edge(START, "route")
    .add_edge("route", "weather")
    .add_edge("weather", END)
    .compile()
)
