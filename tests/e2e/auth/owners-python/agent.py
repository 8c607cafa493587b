"""Returns what its run was started with; asks a question for `ask`."""

from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    said: str
    answer: str


def agent(state: State) -> State:
    said = state.get("said", "")
    return {"answer": interrupt("?")} if said == "ask" else {"said": said}


graph = StateGraph(State).add_node("agent", agent).add_edge(START, "agent").add_edge("agent", END).compile()
