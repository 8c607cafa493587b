"""What happens inside a run: its models, its tools, and its spans."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler

from .faults import fault_of
from .wire import Link

HIDDEN = "langsmith:hidden"
STEP = "graph:step:"
MODEL_FACTS = ("ls_provider", "ls_model_name", "ls_model_type", "ls_temperature", "ls_max_tokens")
# Not failures: a question, and a command for the graph above.
BUBBLES = {"GraphInterrupt": "interrupted", "NodeInterrupt": "interrupted", "ParentCommand": "success"}


class Told(BaseCallbackHandler):
    """Tells Berth what a run does.

    It is no streaming handler: one would make models stream that no client reads, and subgraphs return
    their whole state in place of their output.
    """

    run_inline = True
    raise_error = False

    def __init__(self, link: Link, job: int, wanted: dict[str, bool]) -> None:
        self._link = link
        self._job = job
        self._models = wanted.get("models", False)
        self._tools = wanted.get("tools", False)
        self._spans = wanted.get("spans", False)
        # By call: the span that it belongs to, and the node.
        self._above: dict[str, tuple[str | None, str | None]] = {}
        self._started: set[str] = set()

    @property
    def ignore_chain(self) -> bool:
        return not self._spans

    def on_chain_start(
        self,
        serialized: Any,
        inputs: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        **more: Any,
    ) -> None:
        parent, node = self._of(parent_run_id)
        facts = metadata or {}
        name = more.get("name") or (serialized or {}).get("name")
        own = facts.get("langgraph_node")
        is_node = own is not None and any(tag.startswith(STEP) for tag in tags or ())
        if HIDDEN in (tags or ()) or not (is_node or parent is not None):
            self._above[str(run_id)] = (parent, node)
            return
        if not is_node:
            kind = more.get("run_type")
            self._begin(
                run_id,
                parent,
                {
                    "name": name or _class_name(serialized) or "chain",
                    "runType": kind if kind in ("prompt", "parser") else "chain",
                    "inputs": inputs,
                    "node": node,
                },
            )
            return
        about = {key: facts[key] for key in ("langgraph_step", "langgraph_checkpoint_ns") if key in facts}
        self._begin(
            run_id,
            parent,
            {"name": name or own, "runType": "chain", "inputs": inputs, "node": own, "metadata": about},
        )

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **more: Any) -> None:
        self._end(run_id, {"status": "success", "outputs": outputs})

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **more: Any) -> None:
        self._failed(run_id, error)

    def on_chat_model_start(
        self,
        serialized: Any,
        messages: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        **more: Any,
    ) -> None:
        name = more.get("name") or _class_name(serialized) or "model"
        if self._models:
            self._tell("modelStart", run=str(run_id), tags=tags, metadata=metadata, name=name)
        facts = {key: (metadata or {})[key] for key in MODEL_FACTS if (metadata or {}).get(key) is not None}
        inputs = {"messages": messages[0] if len(messages) == 1 else messages}
        self._call(
            run_id,
            parent_run_id,
            {"name": name, "runType": "llm", "inputs": inputs, "metadata": facts, "tags": tags},
        )

    def on_llm_start(
        self,
        serialized: Any,
        prompts: list[str],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **more: Any,
    ) -> None:
        name = more.get("name") or _class_name(serialized) or "model"
        self._call(run_id, parent_run_id, {"name": name, "runType": "llm", "inputs": {"prompts": prompts}})

    def on_llm_new_token(self, token: Any, *, chunk: Any = None, run_id: UUID, **more: Any) -> None:
        if self._spans and str(run_id) in self._started:
            self._started.discard(str(run_id))
            self._tell("firstToken", span=str(run_id))
        if self._models:
            self._tell(
                "token",
                run=str(run_id),
                text=token if isinstance(token, str) else "",
                message=getattr(chunk, "message", None),
            )

    def on_llm_end(self, response: Any, *, run_id: UUID, **more: Any) -> None:
        message, text = _answer(response)
        if self._models:
            self._tell("modelEnd", run=str(run_id), message=message)
        end = {"status": "success", "outputs": {"message": message if message is not None else text}}
        self._end(run_id, {**end, **_usage(response, message)})

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **more: Any) -> None:
        if self._models:
            self._tell("modelError", run=str(run_id))
        self._failed(run_id, error)

    def on_tool_start(
        self,
        serialized: Any,
        input_str: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        inputs: Any = None,
        **more: Any,
    ) -> None:
        name = more.get("name") or (serialized or {}).get("name") or "tool"
        if self._tools and more.get("tool_call_id"):
            self._tell("tool", call=more["tool_call_id"], metadata=metadata)
        self._call(
            run_id,
            parent_run_id,
            {"name": name, "runType": "tool", "inputs": inputs if inputs is not None else input_str},
        )

    def on_tool_end(self, output: Any, *, run_id: UUID, **more: Any) -> None:
        self._end(run_id, {"status": "success", "outputs": output})

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **more: Any) -> None:
        self._failed(run_id, error)

    def on_retriever_start(
        self, serialized: Any, query: str, *, run_id: UUID, parent_run_id: UUID | None = None, **more: Any
    ) -> None:
        name = more.get("name") or _class_name(serialized) or "retriever"
        self._call(run_id, parent_run_id, {"name": name, "runType": "retriever", "inputs": {"query": query}})

    def on_retriever_end(self, documents: Any, *, run_id: UUID, **more: Any) -> None:
        self._end(run_id, {"status": "success", "outputs": {"documents": list(documents)}})

    def on_retriever_error(self, error: BaseException, *, run_id: UUID, **more: Any) -> None:
        self._failed(run_id, error)

    def _of(self, parent: UUID | None) -> tuple[str | None, str | None]:
        return self._above.get(str(parent), (None, None)) if parent else (None, None)

    def _call(self, run_id: UUID, parent_run_id: UUID | None, start: dict[str, Any]) -> None:
        if not self._spans:
            return
        parent, node = self._of(parent_run_id)
        self._started.add(str(run_id))
        self._begin(run_id, parent, {**start, "node": node})

    def _begin(self, run_id: UUID, parent: str | None, start: dict[str, Any]) -> None:
        span = str(run_id)
        self._above[span] = (span, start.get("node"))
        self._tell("begin", span=span, parent=parent, start=start)

    def _end(self, run_id: UUID, end: dict[str, Any]) -> None:
        span = str(run_id)
        self._started.discard(span)
        above = self._above.pop(span, None)
        # Of one that stands for another there is nothing to tell.
        if self._spans and above is not None and above[0] == span:
            self._tell("end", span=span, end=end)

    def _failed(self, run_id: UUID, error: BaseException) -> None:
        name = type(error).__name__
        if name in BUBBLES:
            self._end(run_id, {"status": BUBBLES[name]})
        elif name == "CancelledError":
            self._end(run_id, {"status": "cancelled"})
        else:
            self._end(run_id, {"status": "error", "fault": fault_of(error)})

    def _tell(self, of: str, **what: Any) -> None:
        self._link.send({"type": "told", "job": self._job, "of": of, **what})


def _class_name(serialized: Any) -> str | None:
    path = serialized.get("id") if isinstance(serialized, dict) else None
    return path[-1] if isinstance(path, list) and path else None


def _answer(response: Any) -> tuple[Any, Any]:
    generations = getattr(response, "generations", None) or [[]]
    first = generations[0][0] if generations[0] else None
    return getattr(first, "message", None), getattr(first, "text", None)


def _usage(response: Any, message: Any) -> dict[str, Any]:
    """What a model used, as its message says or else as its provider did, and why it stopped."""
    told: dict[str, Any] = {}
    usage = getattr(message, "usage_metadata", None)
    if usage:
        told["usage"] = [usage.get("input_tokens"), usage.get("output_tokens"), usage.get("total_tokens")]
    else:
        counted = (getattr(response, "llm_output", None) or {}).get("token_usage") or {}
        if counted:
            names = ("prompt_tokens", "completion_tokens", "total_tokens")
            told["usage"] = [counted.get(name) for name in names]
    about = getattr(message, "response_metadata", None) or {}
    reason = about.get("finish_reason") or about.get("stop_reason") or about.get("done_reason")
    facts: dict[str, Any] = {"finish_reason": reason} if isinstance(reason, str) else {}
    # What a cache of the provider held or took has a price of its own.
    details = (usage or {}).get("input_token_details") or {}
    cached = {name: details[name] for name in ("cache_read", "cache_creation") if details.get(name)}
    if cached:
        facts["input_token_details"] = cached
    if facts:
        told["metadata"] = facts
    return told
