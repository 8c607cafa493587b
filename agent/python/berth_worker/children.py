"""Child processes of the project: where they print, and which of them a cancelled run leaves."""

from __future__ import annotations

import functools
import os
import shlex
import signal
import subprocess
from typing import TYPE_CHECKING, Any

from .output import output_for_children
from .scope import Scope, current_scope

if TYPE_CHECKING:
    from .wire import Link

MAX_COMMAND = 200


def watch_children(link: Link) -> None:
    """Makes processes that an operation starts print with its run, and remembers them."""
    _watch_programs(link)
    _watch_forks(link)


def _watch_programs(link: Link) -> None:
    begin = subprocess.Popen.__init__

    @functools.wraps(begin)
    def started(
        self: Any,
        args: Any,
        bufsize: int = -1,
        executable: Any = None,
        stdin: Any = None,
        stdout: Any = None,
        stderr: Any = None,
        *more: Any,
        **named: Any,
    ) -> None:
        scope = current_scope()
        if scope is not None and link.is_open and (stdout is None or stderr is None):
            printed = output_for_children(link, scope)
            stdout = printed if stdout is None else stdout
            stderr = printed if stderr is None else stderr
        begin(self, args, bufsize, executable, stdin, stdout, stderr, *more, **named)
        if scope is not None:
            scope.children.append((self.pid, args))

    subprocess.Popen.__init__ = started  # type: ignore[method-assign]


def _watch_forks(link: Link) -> None:
    fork = os.fork

    @functools.wraps(fork)
    def forked() -> int:
        pid = fork()
        scope = current_scope()
        if pid and scope is not None:
            scope.children.append((pid, "a forked process"))
        return pid

    os.fork = forked
    os.register_at_fork(before=lambda: _prepare_fork(link), after_in_child=lambda: _begin_forked(link))


def _prepare_fork(link: Link) -> None:
    if (scope := current_scope()) is not None and link.is_open:
        output_for_children(link, scope)


def _begin_forked(link: Link) -> None:
    link.abandon()
    # The worker's own handler would keep the process from ending.
    if signal.getsignal(signal.SIGTERM) == link.terminate:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    scope = current_scope()
    if scope is not None and scope.output is not None:
        for fd in (1, 2):
            os.dup2(scope.output.fileno(), fd)


def survivors(scope: Scope) -> list[str]:
    """Describes the child processes of an operation that still run."""
    return [f"{pid}: {_command(args)}" for pid, args in scope.children if _runs(pid)]


def _command(args: Any) -> str:
    words = [args] if isinstance(args, (str, bytes, os.PathLike)) else list(args)
    texts = [os.fsdecode(word) for word in words]
    return (texts[0] if len(texts) == 1 else shlex.join(texts))[:MAX_COMMAND]


def _runs(pid: int) -> bool:
    try:
        if hasattr(os, "waitid"):
            # Without reaping it: its exit code belongs to the code that started it.
            return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
        os.kill(pid, 0)
        return True
    except OSError:
        return False
