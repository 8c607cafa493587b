"""What the project prints, as lines of Berth's log with the run that printed them."""

from __future__ import annotations

import io
import os
import sys
import threading
from typing import TYPE_CHECKING, Any

from .scope import Scope, current_scope

if TYPE_CHECKING:
    from .wire import Link

# Maximum number of characters of a line; a longer one becomes several.
MAX_LINE = 16_384


def redirect_output(link: Link) -> None:
    """Sends what the project prints as frames; what child processes print arrives on the descriptors."""
    sys.stdout = Output(1, link)
    sys.stderr = Output(2, link)


class Output(io.TextIOWrapper):
    """Standard output or error: sends whole lines to Berth. A forked process writes to the descriptor."""

    def __init__(self, fd: int, link: Link) -> None:
        raw = open(fd, "wb", buffering=0, closefd=False)  # noqa: SIM115
        super().__init__(raw, encoding="utf-8", errors="backslashreplace", write_through=True)
        self._link = link
        # Lines without an end, by operation and thread.
        self._begun: dict[tuple[Scope | None, int], str] = {}
        # A signal handler may print while its own thread prints.
        self._lock = threading.RLock()

    def write(self, text: str, /) -> int:
        if not self._link.is_open:
            return super().write(text)
        scope = current_scope()
        key = (scope, threading.get_ident())
        with self._lock:
            *lines, rest = (self._begun.pop(key, "") + text).split("\n")
            while len(rest) > MAX_LINE:
                lines.append(rest[:MAX_LINE])
                rest = rest[MAX_LINE:]
            if rest:
                self._begun[key] = rest
        for line in lines:
            send_line(self._link, scope, line)
        return len(text)

    def end_lines(self, scope: Scope) -> None:
        """Sends the last lines of an operation that has ended."""
        with self._lock:
            rest = [self._begun.pop(key) for key in list(self._begun) if key[0] is scope]
        for line in rest:
            send_line(self._link, scope, line)


def end_output(scope: Scope) -> None:
    """Sends what an operation printed without an end of line, and closes its side of the pipe of its children."""
    scope.output = None
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, Output):
            stream.end_lines(scope)


def output_for_children(link: Link, scope: Scope) -> int:
    """Returns the descriptor that child processes of an operation print into, instead of the worker's own."""
    if scope.output is None:
        read_end, write_end = os.pipe()
        scope.output = open(write_end, "wb", buffering=0)  # noqa: SIM115
        lines = open(read_end, encoding="utf-8", errors="backslashreplace")  # noqa: SIM115
        threading.Thread(target=_forward, args=(link, scope, lines), name="berth-output", daemon=True).start()
    return int(scope.output.fileno())


def _forward(link: Link, scope: Scope, lines: Any) -> None:
    facts = scope.facts
    # A process that lives on must not keep the operation.
    del scope
    with lines:
        while line := lines.readline(MAX_LINE):
            link.send({"type": "print", "facts": facts, "text": line.removesuffix("\n")})


def send_line(link: Link, scope: Scope | None, text: str) -> None:
    """Sends a line with what is known of the code that printed it."""
    # Not at the top: it takes a second, and the connection comes first.
    from langchain_core.runnables.config import var_child_runnable_config

    node = ((var_child_runnable_config.get() or {}).get("metadata") or {}).get("langgraph_node")
    facts = {**(scope.facts if scope else {}), **({"node": node} if isinstance(node, str) else {})}
    link.send({"type": "print", "facts": facts, "text": text})
