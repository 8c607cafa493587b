"""What a graph emits, in the form that all of Berth's graphs emit it."""

from __future__ import annotations

from typing import Any

from langgraph.types import Interrupt

from .values import shown

INTERRUPT = "__interrupt__"
# Of a chunk that has no mode of LangGraph's: the run stopped at a static breakpoint.
BREAKPOINT = "breakpoint"
# The namespace, the mode and the payload; a fourth element marks a state that holds interrupts.
Chunk = tuple[list[str], str, Any] | tuple[list[str], str, Any, bool]


class Modes:
    """Brings the chunks of one run into order.

    Python emits a state before the checkpoint that holds it; readers of a thread want the checkpoint
    first.
    """

    def __init__(self, asked: list[str], told_checkpoints: bool, streams_models: bool) -> None:
        self._asked = set(asked)
        self._envelopes = told_checkpoints
        self._streams_models = streams_models
        self._held: dict[tuple[str, ...], Chunk] = {}
        self.has_asked = False

    @property
    def wanted(self) -> list[str]:
        """The modes that LangGraph is asked for. Models stream only in its mode `messages`."""
        more = {"checkpoints"} if self._envelopes else set()
        return sorted(self._asked | more | ({"messages"} if self._streams_models else set()))

    def take(self, chunk: Any, subgraphs: bool) -> list[Chunk]:
        """What comes of a chunk of `astream`."""
        ns, mode, payload = chunk if subgraphs else ((), *chunk)
        if mode == "messages" and mode not in self._asked:
            return []
        if mode == "values" and _is_interrupted(payload):
            self.has_asked = True
            return [*self._let_go(ns), (list(ns), mode, payload, True)]
        if mode == "values" and self._envelopes:
            before = self._let_go(ns)
            self._held[tuple(ns)] = (list(ns), mode, payload)
            return before
        if mode == "messages":
            payload = _with_chunk_type(payload)
        elif mode == "tasks":
            payload = {"interrupts": [], **payload}
        elif mode == "debug" and payload.get("type") in ("task", "task_result"):
            payload = {**payload, "payload": {"interrupts": [], **payload["payload"]}}
        if mode != "checkpoints":
            return [*self._let_go(ns), (list(ns), mode, payload)]
        given = self._let_go(ns)
        if self._envelopes:
            given = [(list(ns), mode, _envelope(payload)), *given]
        if mode in self._asked:
            given.append((list(ns), mode, payload))
        return given

    def rest(self) -> list[Chunk]:
        """What was held back when the run ended."""
        held = list(self._held.values())
        self._held.clear()
        return held

    def _let_go(self, ns: Any) -> list[Chunk]:
        held = self._held.pop(tuple(ns), None)
        return [held] if held else []


def _is_interrupted(payload: Any) -> bool:
    """LangGraph adds a tuple of interrupts to the state. A graph may return a list under the same key."""
    asked = payload.get(INTERRUPT) if isinstance(payload, dict) else None
    return isinstance(asked, tuple) and all(isinstance(one, Interrupt) for one in asked)


def _with_chunk_type(payload: Any) -> Any:
    """Keeps the type `AIMessageChunk`, which tells clients of this mode that the message is incomplete."""
    message, metadata = payload
    kind = getattr(message, "type", "")
    return [{**shown(message), "type": kind}, metadata] if kind.endswith("MessageChunk") else payload


def _envelope(payload: dict[str, Any]) -> dict[str, Any]:
    """The short form of a checkpoint: which it is, and where it stands."""
    metadata = payload.get("metadata") or {}
    place = (payload.get("config") or {}).get("configurable") or {}
    parent = ((payload.get("parent_config") or {}).get("configurable") or {}).get("checkpoint_id")
    told = {"id": place.get("checkpoint_id"), "step": metadata.get("step"), "source": metadata.get("source")}
    return {**told, "parent_id": parent} if parent else told
