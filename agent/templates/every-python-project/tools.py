"""The tools of the agent."""

from __future__ import annotations

from langchain_core.tools import ToolException, tool


@tool
def get_weather(city: str) -> str:
    """Tells the present weather of a city."""
    # The one place without a station shows what a failing tool looks like.
    if city == "Atlantis":
        raise ToolException("There is no weather station in Atlantis.")
    return f"It is 18 °C and sunny in {city}."


# The model reads the error and goes on; without this the run would end.
get_weather.handle_tool_error = True


@tool
def send_email(to: str, subject: str, body: str) -> str:
    """Sends an email. A person approves it first."""
    # Replace the body with a real mail service: nothing reaches it before a person has agreed.
    return f"The email “{subject}” to {to} is on its way."


NOTES = (
    "A deep agent plans with a todo list and works through it.",
    "A subagent starts with a clean conversation and reports only its result.",
    "Files that an agent writes live in its state, next to its messages.",
)


@tool
def search_notes(query: str) -> str:
    """Searches the notes and returns those that fit best."""
    # Replace the body with a search of your own: the web, a wiki, a database.
    words = {word for word in query.lower().split() if len(word) > 3}
    found = [note for note in NOTES if words & set(note.lower().split())]
    return " ".join(found or NOTES)
