"""A planner with a todo list, two subagents and a tool that a person approves. The server brings the checkpointer."""

from deepagents import create_deep_agent
from langchain.agents.middleware import TodoListMiddleware
from model import choose_model
from tools import get_weather, search_notes, send_email

SUBAGENTS = [
    {
        "name": "researcher",
        "description": "Gathers notes about a subject and reports what it found.",
        "system_prompt": "Search the notes before you answer. Report what you found, and nothing else.",
        "tools": [search_notes],
    },
    {
        "name": "writer",
        "description": "Turns notes into a short summary.",
        "system_prompt": "Write a clear summary of the notes that you are given, in one paragraph.",
        "tools": [],
    },
]

graph = create_deep_agent(
    model=choose_model(),
    tools=[get_weather, send_email],
    system_prompt=(
        "You are a capable assistant. Plan work of several steps with the todo list, "
        "let the researcher gather notes and then the writer summarise them."
    ),
    subagents=SUBAGENTS,
    middleware=[TodoListMiddleware()],
    interrupt_on={"send_email": True},
)
