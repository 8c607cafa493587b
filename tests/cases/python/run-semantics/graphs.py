"""Graphs whose runs showed more, less or something else than on their own."""

import operator
from dataclasses import dataclass
from typing import Annotated, Any

from langchain.agents import create_agent
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import tool
from langgraph.config import get_stream_writer
from langgraph.func import entrypoint
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.runtime import Runtime
from langgraph.types import interrupt
from typing_extensions import TypedDict

USAGE = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}


class Question(TypedDict):
    question: str


class Answer(TypedDict):
    answer: str


class Private(Question, Answer):
    secret: str


def answer(state: Private) -> dict[str, Any]:
    return {"secret": "inner", "answer": "42"}


def ask(state: Private) -> dict[str, Any]:
    return {"answer": interrupt("sure?")}


private = (
    StateGraph(Private, input_schema=Question, output_schema=Answer)
    .add_node("answer", answer)
    .add_node("ask", ask)
    .add_edge(START, "answer")
    .add_edge("answer", "ask")
    .compile()
)


class Collected(TypedDict):
    got: Annotated[list[str], operator.add]


parallel = (
    StateGraph(Collected)
    .add_node("one", lambda state: {"got": [interrupt("one?")]})
    .add_node("two", lambda state: {"got": [interrupt("two?")]})
    .add_edge(START, "one")
    .add_edge(START, "two")
    .compile()
)


@entrypoint()
def returns_key(value: Any) -> dict[str, Any]:
    return {"a": 1, "__interrupt__": []}


@entrypoint()
def asks(value: Any) -> dict[str, Any]:
    return {"a": interrupt("q?")}


class Model(BaseChatModel):
    """Says whether it streamed."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **more: Any) -> "Model":
        return self

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **more: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage("whole", usage_metadata=USAGE))])

    def _stream(self, messages: Any, stop: Any = None, run_manager: Any = None, **more: Any) -> Any:
        usage = {"input_tokens": 0, "output_tokens": 1, "total_tokens": 1}
        for text, used in (("stre", None), ("am", {**usage, "input_tokens": 1, "total_tokens": 2}), ("ed", usage)):
            yield ChatGenerationChunk(message=AIMessageChunk(content=text, usage_metadata=used))


async def call(state: MessagesState) -> dict[str, Any]:
    return {"messages": [await Model().ainvoke(state["messages"])]}


model = StateGraph(MessagesState).add_node("call", call).add_edge(START, "call").compile()
outer_model = StateGraph(MessagesState).add_node("inner", model).add_edge(START, "inner").compile()


def fixed(state: MessagesState) -> dict[str, Any]:
    return {"messages": [AIMessage("fixed", id="fixed")]}


fixed_answer = (
    StateGraph(MessagesState)
    .add_node("fixed", fixed)
    .add_node("call", call)
    .add_edge(START, "fixed")
    .add_edge("fixed", "call")
    .compile()
)


@tool
def weather(city: str) -> str:
    """Tells the weather."""
    get_stream_writer()({"name": "steps", "at": city})
    get_stream_writer()({"payload": 1})
    return f"sunny in {city}"


@tool
def broken(city: str) -> str:
    """Fails."""
    raise ValueError(f"no {city}")


@tool
def confirm(step: str) -> str:
    """Asks."""
    return f"{step}: {interrupt(step)}"


def calling(*calls: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"id": f"call-{at}", "name": name, "args": args} for at, (name, args) in enumerate(calls)]


def tool_graph(*calls: tuple[str, dict[str, Any]]) -> Any:
    message = AIMessage("", id="calls", tool_calls=calling(*calls))
    return (
        StateGraph(MessagesState)
        .add_node("agent", lambda state: {"messages": [message]})
        .add_node("tools", ToolNode([weather, broken, confirm], handle_tool_errors=False))
        .add_edge(START, "agent")
        .add_edge("agent", "tools")
        .compile()
    )


one_tool = tool_graph(("weather", {"city": "Rome"}))
outer_tool = StateGraph(MessagesState).add_node("inner", one_tool).add_edge(START, "inner").compile()
failing_tool = tool_graph(("broken", {"city": "Rome"}))
two_questions = tool_graph(("confirm", {"step": "first"}), ("confirm", {"step": "second"}))


class Caller(Model):
    """Calls two tools that ask, then repeats what they returned."""

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **more: Any) -> ChatResult:
        results = [str(one.content) for one in messages if isinstance(one, ToolMessage)]
        calls = calling(("confirm", {"step": "first"}), ("confirm", {"step": "second"}))
        message = AIMessage(" | ".join(results)) if results else AIMessage("", tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=message)])


agent_questions = create_agent(Caller(disable_streaming=True), [confirm])


@dataclass
class Settings:
    model: str = "default"
    size: int = 0


class Seen(TypedDict, total=False):
    seen: str
    metadata: dict[str, Any]


def look(state: Seen, runtime: Runtime[Settings]) -> dict[str, Any]:
    return {"seen": str(runtime.context)}


class Named(TypedDict, total=False):
    model: str


def context_graph(schema: Any) -> Any:
    return StateGraph(Seen, context_schema=schema).add_node("look", look).add_edge(START, "look").compile()


context = context_graph(Settings)
typed_context = context_graph(Named)
any_context = context_graph(None)


def check(state: Collected) -> dict[str, Any]:
    number = interrupt("number?")
    if not isinstance(number, int):
        raise TypeError(f"{number!r} is no number")
    return {"got": [str(number)]}


validated = StateGraph(Collected).add_node("check", check).add_edge(START, "check").compile()
