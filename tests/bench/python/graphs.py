"""The graphs of the bench in Python."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langgraph.graph import END, START, MessagesState, StateGraph
from typing_extensions import TypedDict

TOKENS = 200


async def answer(state: MessagesState) -> dict:
    return {"messages": [AIMessage(str(state["messages"][-1].content))]}


echo = (
    StateGraph(MessagesState).add_node("echo", answer).add_edge(START, "echo").add_edge("echo", END).compile()
)


class Flat(TypedDict, total=False):
    question: str
    answer: str


async def repeat(state: Flat) -> Flat:
    return {"answer": state["question"]}


flat = StateGraph(Flat).add_node("echo", repeat).add_edge(START, "echo").add_edge("echo", END).compile()


class TokenModel(BaseChatModel):
    """200 tokens, without a pause."""

    @property
    def _llm_type(self) -> str:
        return "tokens"

    async def _astream(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **more: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        for at in range(TOKENS):
            last = "last" if at == TOKENS - 1 else None
            chunk = ChatGenerationChunk(message=AIMessageChunk(content=f"t{at} ", chunk_position=last))
            if run_manager:
                await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    def _generate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **more: Any
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage("tokens"))])


model = TokenModel()


async def say(state: MessagesState) -> dict:
    return {"messages": [await model.ainvoke(state["messages"])]}


tokens = (
    StateGraph(MessagesState).add_node("model", say).add_edge(START, "model").add_edge("model", END).compile()
)
