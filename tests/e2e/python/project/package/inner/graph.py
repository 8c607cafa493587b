"""Named by its module; imports from beside itself."""

from langgraph.graph import END, START, StateGraph

from ..words import WORD, State


def say(state: State) -> State:
    print(f"printed {WORD}")
    return {"word": WORD}


graph = StateGraph(State).add_node("say", say).add_edge(START, "say").add_edge("say", END).compile()
