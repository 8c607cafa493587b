"""A model that answers by a script, letter by letter."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any
from uuid import uuid4

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult


class LetterModel(BaseChatModel):
    """Answers "end" to a tool and "begin" to anybody else."""

    @property
    def _llm_type(self) -> str:
        return "letters"

    def _text(self, messages: list[BaseMessage]) -> str:
        return "end" if messages and messages[-1].type == "tool" else "begin"

    def _chunks(self, messages: list[BaseMessage]) -> Iterator[ChatGenerationChunk]:
        own = str(uuid4())
        text = self._text(messages)
        for at, letter in enumerate(text, 1):
            last = "last" if at == len(text) else None
            yield ChatGenerationChunk(message=AIMessageChunk(content=letter, id=own, chunk_position=last))

    def _stream(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **more: Any
    ) -> Iterator[ChatGenerationChunk]:
        for chunk in self._chunks(messages):
            if run_manager:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    async def _astream(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **more: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in self._chunks(messages):
            await asyncio.sleep(0)
            if run_manager:
                await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    def _generate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **more: Any
    ) -> ChatResult:
        message = AIMessage(content=self._text(messages))
        return ChatResult(generations=[ChatGeneration(message=message)])
