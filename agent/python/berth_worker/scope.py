"""The operation that the running code belongs to."""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


class Scope:
    """One operation: its run, and what its code started."""

    def __init__(self, of: str, takes: dict[str, Any]) -> None:
        self.is_run = of in ("stream", "events")
        configurable = (takes.get("config") or {}).get("configurable") or {}
        facts = {
            "run": takes.get("run"),
            "thread": configurable.get("thread_id"),
            "graph": takes.get("graph"),
        }
        # What a line of the log contains of it.
        self.facts = {name: value for name, value in facts.items() if isinstance(value, str)}
        self.threads: set[Future[Any]] = set()
        # Process id and command.
        self.children: list[tuple[int, Any]] = []
        # The pipe that child processes print into; closed with the last reference to it.
        self.output: Any = None

    def call(self, function: Callable[..., T], /, *args: Any, **kwargs: Any) -> T:
        """Calls a function as a part of this operation."""
        token = _current.set(self)
        try:
            return function(*args, **kwargs)
        finally:
            _current.reset(token)


_current: contextvars.ContextVar[Scope | None] = contextvars.ContextVar("berth_operation", default=None)


def current_scope() -> Scope | None:
    """Returns the operation that the running code belongs to."""
    return _current.get()


def enter_scope(scope: Scope) -> None:
    """Makes the current task, and what it starts, a part of an operation."""
    _current.set(scope)


class ScopedThreads(ThreadPoolExecutor):
    """Runs sync nodes as a part of their operation: a cancelled task leaves its thread running."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        scope = current_scope()
        if scope is None:
            return super().submit(fn, *args, **kwargs)
        future = super().submit(scope.call, fn, *args, **kwargs)
        scope.threads.add(future)
        future.add_done_callback(scope.threads.discard)
        return future
