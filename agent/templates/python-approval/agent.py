"""An email assistant that pauses before it sends, until a person has answered. The server brings the checkpointer."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, SystemMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Send, interrupt
from model import choose_model
from tools import get_weather, send_email

TOOLS = [get_weather, send_email]
NEED_APPROVAL = {"send_email"}
PROMPT = SystemMessage("You help with email. Say plainly when an email was not sent.")
model = choose_model().bind_tools(TOOLS)


async def call_model(state: MessagesState, config: RunnableConfig) -> dict:
    return {"messages": [await model.ainvoke([PROMPT, *state["messages"]], config)]}


def review(state: MessagesState) -> dict:
    """Asks a person about each call that needs approval.

    The run pauses at `interrupt` and goes on with the person's answer: `true`, "approve", "yes",
    `{"type": "approve"}` or one such decision in `decisions` lets the call through; any other answer declines it, and
    its text (or `message`) tells the model why.
    """
    declined = []
    for call in calls_of(state["messages"]):
        if call["name"] not in NEED_APPROVAL:
            continue
        answer = decision(interrupt(question(call["name"], call["args"])))
        if approves(answer):
            continue
        content = f"The person declined: {reason(answer)}"
        declined.append(ToolMessage(content, name=call["name"], tool_call_id=call["id"], status="error"))
    return {"messages": declined}


def question(name: str, args: dict[str, Any]) -> dict[str, Any]:
    """Words for a person, and the same in the form that Agent Chat UI, Agent Inbox and deep-agents-ui read."""
    description = f"Shall I run {name}?"
    return {
        "question": description,
        "tool": name,
        "args": args,
        "action_requests": [{"name": name, "args": args, "description": description}],
        "review_configs": [{"action_name": name, "allowed_decisions": ["approve", "reject"]}],
    }


def decision(answer: Any) -> Any:
    """The one decision of `{"decisions": [...]}`, else the answer itself."""
    decisions = answer.get("decisions") if isinstance(answer, dict) else None
    return decisions[0] if isinstance(decisions, list) and len(decisions) == 1 else answer


def approves(answer: Any) -> bool:
    if isinstance(answer, str):
        return answer.strip().lower() in {"approve", "approved", "yes", "ok"}
    return answer is True or (isinstance(answer, dict) and answer.get("type") == "approve")


def reason(answer: Any) -> str:
    text = answer.get("message") if isinstance(answer, dict) else answer
    return text if isinstance(text, str) else "no reason given"


def calls_of(messages: list[AnyMessage]) -> list[Any]:
    last = messages[-1]
    return last.tool_calls if isinstance(last, AIMessage) else []


def after_model(state: MessagesState) -> str:
    calls = calls_of(state["messages"])
    if not calls:
        return END
    return "review" if any(call["name"] in NEED_APPROVAL for call in calls) else "tools"


def after_review(state: MessagesState) -> list[Send] | str:
    """Calls that `review` has answered are not made."""
    asked = next(message for message in reversed(state["messages"]) if isinstance(message, AIMessage))
    answered = {message.tool_call_id for message in state["messages"] if isinstance(message, ToolMessage)}
    left = [call for call in asked.tool_calls if call["id"] not in answered]
    return [Send("tools", [call]) for call in left] or "model"


graph = (
    StateGraph(MessagesState)
    .add_node("model", call_model)
    .add_node("review", review)
    .add_node("tools", ToolNode(TOOLS, handle_tool_errors=True))
    .add_edge(START, "model")
    .add_conditional_edges("model", after_model, ["review", "tools", END])
    .add_conditional_edges("review", after_review, ["tools", "model"])
    .add_edge("tools", "model")
    .compile()
)
