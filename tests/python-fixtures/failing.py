"""Fails with a CustomError that says "Boo!"."""

from langgraph.graph import END, START, MessagesState, StateGraph


class CustomError(Exception):
    pass


def single(state: MessagesState) -> dict:
    raise CustomError("Boo!")


graph = (
    StateGraph(MessagesState)
    .add_node("single", single)
    .add_edge(START, "single")
    .add_edge("single", END)
    .compile()
)
