"""What a factory is told of the server that asks it for a graph."""

from __future__ import annotations

from typing import Any


def server_runtime(access: dict[str, Any], store: Any) -> Any:
    """The SDK's own class where it has one, else an object of the same shape."""
    of = access.get("accessContext", "assistants.read")
    execution = access.get("executionRuntime")
    try:
        from langgraph_sdk import runtime as sdk

        if execution is not None:
            return sdk._ExecutionRuntime(access_context=of, store=store, context=execution.get("context"))
        return sdk._ReadRuntime(access_context=of, store=store)
    except (ImportError, AttributeError, TypeError):
        return _Runtime(of, store, execution)


class _Runtime:
    def __init__(self, access_context: str, store: Any, execution: dict[str, Any] | None) -> None:
        self.access_context = access_context
        self.store = store
        self.user = None
        self.context = (execution or {}).get("context")
        self.execution_runtime = self if execution is not None else None
