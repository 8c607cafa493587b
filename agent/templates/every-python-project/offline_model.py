"""A scripted chat model for trying an agent without a key or a network."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool

# Milliseconds before each token where OFFLINE_TOKEN_MS does not say otherwise.
DEFAULT_TOKEN_MS = 25.0
# The two subagents of the deep-agent template recognise their work by these words.
GATHER = "gather notes for request"
SUMMARISE = "write the summary of request"
PLAN = ("Gather notes", "Write the summary")

Call = tuple[str, dict[str, Any]]
Reply = tuple[str, list[Call]]


@dataclass
class Turn:
    """The part of a conversation that the script looks at: the last question and what was done about it."""

    question: str
    number: int
    step: int
    results: list[ToolMessage]


@dataclass
class Scene:
    """Starts where its keyword is in the question and the tools that it needs are bound."""

    keyword: str
    tools: set[str]
    steps: list[Callable[[Turn], Reply]]
    close: Callable[[Turn], str]


def excerpt(text: str, limit: int = 120) -> str:
    """The text in one line of at most `limit` characters."""
    line = " ".join(text.split())
    return f"{line[: limit - 1]}…" if len(line) > limit else line


def last_result(turn: Turn, name: str | None = None) -> str:
    """The first line of what the latest tool (of that name) answered."""
    found = [one for one in turn.results if name is None or one.name == name]
    return excerpt(found[-1].text.split("\n")[0], 400) if found else "Nothing came back."


def failed(turn: Turn) -> bool:
    return bool(turn.results) and turn.results[-1].status == "error"


def call(text: str, name: str, args: dict[str, Any]) -> Reply:
    return text, [(name, args)]


def todos(done: int) -> dict[str, Any]:
    def status(at: int) -> str:
        return "completed" if at < done else "in_progress" if at == done else "pending"

    return {"todos": [{"content": content, "status": status(at)} for at, content in enumerate(PLAN)]}


def delegate(subagent: str, task: str) -> Reply:
    description = task[0].upper() + task[1:]
    return call(
        f"I hand this to the {subagent}.", "task", {"description": description, "subagent_type": subagent}
    )


def subject(turn: Turn) -> str:
    """What a delegated task is about: the part after its opening words."""
    return turn.question.split(": ", 1)[-1]


def email(turn: Turn) -> dict[str, Any]:
    found = re.search(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", turn.question)
    to = found[0] if found else "ada@example.com"
    return {
        "to": to,
        "subject": "A note from the offline model",
        "body": f"You asked: {excerpt(turn.question)}",
    }


def city(question: str) -> str:
    found = re.search(r"\b(?:in|for|at)\s+([A-Z][\w'-]*(?:\s+[A-Z][\w'-]*)*)", question)
    return found[1] if found else "Berlin"


SCENES = [
    Scene(
        "research",
        {"task", "write_todos"},
        [
            lambda turn: call("I am the offline model. First I plan the work.", "write_todos", todos(0)),
            lambda turn: delegate("researcher", f"{GATHER} {turn.number}: {excerpt(turn.question)}"),
            lambda turn: call("The notes are there.", "write_todos", todos(1)),
            lambda turn: delegate(
                "writer", f"{SUMMARISE} {turn.number} from these notes: {last_result(turn, 'task')}"
            ),
            lambda turn: call("The summary is written.", "write_todos", todos(2)),
        ],
        lambda turn: (
            f"I am the offline model, and both subagents have reported. {last_result(turn, 'task')} "
            "Every entry of the todo list is done. A real model would have looked things up."
        ),
    ),
    Scene(
        "send",
        {"send_email"},
        [lambda turn: call("I prepared an email; a person has to approve it.", "send_email", email(turn))],
        lambda turn: (
            f"I am the offline model. The email {'was not sent' if failed(turn) else 'went out'}. {last_result(turn)}"
        ),
    ),
    Scene(
        "fail",
        {"get_weather"},
        [lambda turn: call("I call a tool that will fail.", "get_weather", {"city": "Atlantis"})],
        lambda turn: f"I am the offline model. The tool failed, and I go on without it. {last_result(turn)}",
    ),
    Scene(
        "weather",
        {"get_weather"},
        [lambda turn: call("I look at the weather.", "get_weather", {"city": city(turn.question)})],
        lambda turn: (
            f"I am the offline model. The weather tool {'failed.' if failed(turn) else 'says:'} {last_result(turn)}"
        ),
    ),
]

SUBAGENT_SCENES = [
    Scene(
        GATHER,
        {"search_notes"},
        [lambda turn: call("I look into the notes.", "search_notes", {"query": subject(turn)})],
        lambda turn: f"Notes of the offline researcher: {last_result(turn, 'search_notes')}",
    ),
    Scene(
        SUMMARISE,
        set(),
        [],
        lambda turn: (
            f"Summary of the offline writer: {subject(turn)} "
            "That is all that a script can say about it, and it says the same every time."
        ),
    ),
]


def small_talk(turn: Turn, known: list[Scene]) -> str:
    keywords = [scene.keyword for scene in known]
    listed = (
        ", ".join(keywords[:-1]) + (" or " if len(keywords) > 1 else "") + (keywords[-1] if keywords else "")
    )
    hint = f"Say {listed} to see my tools at work. " if listed else ""
    return (
        "I am the offline model: a script that stands in for a real one. "
        f"You wrote “{excerpt(turn.question, 40)}”. {hint}"
        "To talk to a real model, set ANTHROPIC_API_KEY or OPENAI_API_KEY, and start again."
    )


def read_turn(messages: Sequence[BaseMessage]) -> Turn:
    asked = [at for at, message in enumerate(messages) if message.type == "human"]
    start = asked[-1] if asked else -1
    since = messages[start + 1 :]
    return Turn(
        question=messages[start].text if asked else "",
        number=len(asked),
        step=sum(1 for message in since if isinstance(message, AIMessage) and message.tool_calls),
        results=[message for message in since if isinstance(message, ToolMessage)],
    )


def next_reply(turn: Turn, tools: set[str]) -> Reply:
    """What the script says next; the conversation alone decides, so a replay says the same."""
    question = turn.question.lower()
    known = [scene for scene in SCENES if scene.tools <= tools]
    playable = [*known, *(scene for scene in SUBAGENT_SCENES if scene.tools <= tools)]
    scene = next((one for one in playable if one.keyword in question), None)
    if scene is None:
        return small_talk(turn, known), []
    return scene.steps[turn.step](turn) if turn.step < len(scene.steps) else (scene.close(turn), [])


def parts(reply: Reply, turn: Turn) -> Iterator[AIMessageChunk]:
    """The reply as a provider would stream it: word by word, then each call's name and its JSON in pieces."""
    text, calls = reply
    for word in re.findall(r"\S+\s*", text):
        yield AIMessageChunk(content=word)
    for place, (name, args) in enumerate(calls):
        seed = json.dumps([turn.number, turn.question, turn.step, place])
        # The same again when a run resumes.
        own = f"call_{hashlib.sha256(seed.encode()).hexdigest()[:24]}"
        piece = {"type": "tool_call_chunk", "index": place + 1, "id": own, "name": name, "args": ""}
        yield AIMessageChunk(content="", tool_call_chunks=[piece])  # type: ignore[list-item]
        for args_piece in re.findall(r".{1,8}", json.dumps(args, ensure_ascii=False), re.S):
            more = {
                "type": "tool_call_chunk",
                "index": place + 1,
                "id": None,
                "name": None,
                "args": args_piece,
            }
            yield AIMessageChunk(content="", tool_call_chunks=[more])  # type: ignore[list-item]


def token_seconds() -> float:
    try:
        return max(0.0, float(os.environ.get("OFFLINE_TOKEN_MS") or DEFAULT_TOKEN_MS)) / 1000
    except ValueError:
        return DEFAULT_TOKEN_MS / 1000


class OfflineChatModel(BaseChatModel):
    """Streams tokens (one every OFFLINE_TOKEN_MS milliseconds, 25 by default) and calls the tools bound to it.

    It does so where the last human message holds `research`, `send`, `fail` or `weather`. It keeps no state.
    """

    @property
    def _llm_type(self) -> str:
        return "offline"

    def _get_ls_params(self, stop: list[str] | None = None, **more: Any) -> Any:
        return {"ls_provider": "offline", "ls_model_name": "offline", "ls_model_type": "chat"}

    def bind_tools(self, tools: Sequence[Any], **more: Any) -> Runnable[Any, AIMessage]:
        names = [convert_to_openai_tool(tool)["function"]["name"] for tool in tools]
        return self.bind(tool_names=names)

    def _generate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **more: Any
    ) -> ChatResult:
        whole: AIMessageChunk | None = None
        for chunk in self._chunks(messages, more):
            whole = chunk if whole is None else whole + chunk  # type: ignore[assignment]
        answer = whole or AIMessageChunk(content="")
        message = AIMessage(
            content=answer.content, tool_calls=answer.tool_calls, usage_metadata=answer.usage_metadata
        )
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **more: Any
    ) -> Iterator[ChatGenerationChunk]:
        for message in self._chunks(messages, more):
            time.sleep(token_seconds())
            chunk = ChatGenerationChunk(message=message)
            if run_manager:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    async def _astream(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **more: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        for message in self._chunks(messages, more):
            await asyncio.sleep(token_seconds())
            chunk = ChatGenerationChunk(message=message)
            if run_manager:
                await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    def _chunks(self, messages: list[BaseMessage], more: dict[str, Any]) -> Iterator[AIMessageChunk]:
        turn = read_turn(messages)
        reply = next_reply(turn, set(more.get("tool_names") or ()))
        taken = sum(len(message.text.split()) for message in messages)
        given = 0
        for chunk in parts(reply, turn):
            given += 1
            yield chunk
        usage = {"input_tokens": taken, "output_tokens": given, "total_tokens": taken + given}
        yield AIMessageChunk(content="", usage_metadata=usage, chunk_position="last")  # type: ignore[arg-type]
