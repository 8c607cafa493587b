"""The connection to Berth: frames of JSON, requests in both directions, streams with a window."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import itertools
import json
import os
import queue
import select
import signal
import struct
import threading
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Coroutine
from concurrent.futures import Future
from typing import Any, Protocol, TypeVar

from .children import survivors
from .faults import fault_of, raised
from .output import end_output
from .process import end_group
from .scope import Scope, ScopedThreads, enter_scope
from .values import encode

LENGTH = struct.Struct(">I")
READ_BYTES = 2**18
# A stream is at most this number of items ahead of its reader.
WINDOW = 64
# How long (s) a cancelled operation waits for its threads; Berth ends a worker that answers later than 10 s.
THREAD_GRACE = 5
# How long (s) background tasks of the project may take after a SIGTERM that Berth did not announce.
STOP_GRACE = 30

T = TypeVar("T")

# Whether the calling code is synchronous: it blocks until Berth answers.
_blocks: contextvars.ContextVar[bool] = contextvars.ContextVar("berth_blocks", default=False)


class Operations(Protocol):
    """What Berth can ask for."""

    def take(self, job: int, takes: dict[str, Any]) -> Awaitable[Any] | AsyncGenerator[Any, None]:
        """Begins an operation: its value is awaited, or its items are read."""

    def context_of(self, takes: dict[str, Any]) -> contextvars.Context | None:
        """Returns the context of what an operation uses, such as an open graph."""

    def lasting_tasks(self) -> set[asyncio.Task[Any]]:
        """Returns the tasks that run until the project ends."""

    async def end_project(self) -> None:
        """Ends what the project started when it was loaded."""


class Link:
    """One end of the connection. A thread of its own reads it, so that code that blocks the loop is answered."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._write_lock = threading.RLock()
        self._unsent: deque[bytes] = deque()
        self._is_sending = False
        self._numbers = itertools.count(1)
        self._asked: dict[int, Future[Any]] = {}
        self._received: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._windows: dict[int, asyncio.Semaphore] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Future[float] | None = None
        threading.Thread(target=self._read, name="berth-read", daemon=True).start()
        signal.signal(signal.SIGTERM, self.terminate)

    @property
    def is_open(self) -> bool:
        """Whether this process is connected: a forked one is not."""
        return self._fd >= 0

    def abandon(self) -> None:
        """Gives the connection up in a forked process."""
        fd, self._fd = self._fd, -1
        self._write_lock = threading.RLock()
        if fd >= 0:
            os.close(fd)

    def terminate(self, *_: Any) -> None:
        """Stops the worker as SIGTERM does: background tasks of the project end first."""
        if self._loop is None:
            os._exit(128 + signal.SIGTERM)
        self._loop.call_soon_threadsafe(self._begin_stop, STOP_GRACE)

    def send(self, message: dict[str, Any]) -> None:
        """Sends a message. May be called from any thread; blocks while the connection is full.

        Raises:
            RuntimeError: this process was forked from the worker.
        """
        body = encode(message)
        with self._write_lock:
            if self._fd < 0:
                raise RuntimeError("a forked process has no connection to Berth")
            self._unsent.append(LENGTH.pack(len(body)) + body)
            # A signal handler or a finalizer that prints interrupts this thread in the middle of a frame.
            if self._is_sending:
                return
            self._is_sending = True
            try:
                while self._unsent:
                    _write(self._fd, self._unsent.popleft())
            finally:
                self._is_sending = False

    async def ask(self, job: int, of: str, takes: Any) -> Any:
        """Asks Berth on behalf of one of its requests; from any loop, and within `wait_for` without one."""
        answer = self.sent(job, of, takes)
        return answer.result() if _blocks.get() else await asyncio.wrap_future(answer)

    def sent(self, job: int, of: str, takes: Any) -> Future[Any]:
        """Sends a question at once; the future receives its answer."""
        call = next(self._numbers)
        answer: Future[Any] = Future()
        self._asked[call] = answer
        self.send({"type": "ask", "call": call, "job": job, "of": of, "takes": takes})
        return answer

    def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        """Completes work that awaits nothing but `ask`, for sync code: on a thread, or on a loop that it blocks."""
        token = _blocks.set(True)
        try:
            work.send(None)
        except StopIteration as end:
            return end.value
        finally:
            _blocks.reset(token)
            work.close()
        raise RuntimeError("work of sync code awaited something else than Berth")

    def first(self) -> dict[str, Any]:
        """Returns the first message, before a loop runs."""
        return self._received.get()

    async def serve(self, operations: Operations, first: dict[str, Any]) -> None:
        """Answers what Berth asks until it stops the worker."""
        self._loop = asyncio.get_running_loop()
        self._loop.set_default_executor(ScopedThreads(thread_name_prefix="asyncio"))
        self._stop = self._loop.create_future()
        self._operations = operations
        self._take(first)
        self._take_received()
        grace = await self._stop
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(grace):
                await self._end_tasks()
                await operations.end_project()

    async def _end_tasks(self) -> None:
        """Waits for background tasks of the project, and for operations that still run."""
        while tasks := asyncio.all_tasks() - self._operations.lasting_tasks() - {asyncio.current_task()}:
            await asyncio.wait(tasks)

    def _begin_stop(self, grace: float) -> None:
        if self._stop is not None and not self._stop.done():
            self._stop.set_result(grace)

    def _read(self) -> None:
        data = bytearray()
        while piece := os.read(self._fd, READ_BYTES):
            data += piece
            if any([self._sort(message) for message in _frames(data)]):
                self._wake()
        end_group()

    def _sort(self, message: dict[str, Any]) -> bool:
        """Passes an answer on at once; whether the loop has to take the message."""
        if message["type"] == "answer":
            self._answered(message)
            return False
        self._received.put(message)
        return True

    def _wake(self) -> None:
        # Before the loop runs, messages wait for it.
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._take_received)

    def _answered(self, message: dict[str, Any]) -> None:
        answer = self._asked.pop(message["call"], None)
        if answer is None or not answer.set_running_or_notify_cancel():
            return
        if "fault" in message:
            answer.set_exception(raised(message["fault"]))
        else:
            answer.set_result(message.get("value"))

    def _take_received(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                self._take(self._received.get_nowait())

    def _take(self, message: dict[str, Any]) -> None:
        kind = message["type"]
        if kind == "call":
            self._begin(message)
        elif kind == "more":
            if window := self._windows.get(message["job"]):
                for _ in range(message["count"]):
                    window.release()
        elif kind == "ping":
            self.send({"type": "pong"})
        elif kind == "cancel":
            if running := self._tasks.get(message["job"]):
                running.cancel()
        elif kind == "stop":
            self._begin_stop(message["graceMs"] / 1_000)

    def _begin(self, message: dict[str, Any]) -> None:
        assert self._loop is not None
        job = message["job"]
        context = self._operations.context_of(message["takes"])
        task = self._loop.create_task(self._answer(job, message), context=context)
        self._tasks[job] = task
        task.add_done_callback(lambda _: self._tasks.pop(job, None))

    async def _answer(self, job: int, message: dict[str, Any]) -> None:
        scope = Scope(message["of"], message["takes"])
        enter_scope(scope)
        answer: dict[str, Any] = {}
        try:
            result = self._operations.take(job, {"of": message["of"], **message["takes"]})
            if isinstance(result, AsyncGenerator):
                await self._stream(job, result, message.get("window", WINDOW))
                answer = {"value": None}
            else:
                answer = {"value": await result}
        except asyncio.CancelledError:
            answer = {"fault": await self._cancelled(scope)}
        except BaseException as error:
            answer = {"fault": fault_of(error)}
        # A process that the project forked, and whose code returned to the loop.
        if not self.is_open:
            os._exit(1)
        end_output(scope)
        self.send({"type": "answer", "job": job, **answer})

    async def _cancelled(self, scope: Scope) -> dict[str, Any]:
        """Waits for the threads of a cancelled operation; reports threads and child processes that still run."""
        running = {asyncio.wrap_future(one) for one in list(scope.threads)}
        late = (await asyncio.wait(running, timeout=THREAD_GRACE))[1] if running else set()
        for child in survivors(scope) if scope.is_run else []:
            text = f"The cancelled run left a child process running, {child}"
            self.send({"type": "print", "level": "warn", "facts": scope.facts, "text": text})
        return {"name": "Cancelled", "message": "cancelled", **({"code": "node_runs"} if late else {})}

    async def _stream(self, job: int, items: AsyncGenerator[Any, None], size: int) -> None:
        window = self._windows[job] = asyncio.Semaphore(size)
        try:
            async for item in items:
                await window.acquire()
                self.send({"type": "item", "job": job, "value": item})
        finally:
            del self._windows[job]
            await items.aclose()


def _frames(data: bytearray) -> list[dict[str, Any]]:
    """Removes whole frames from the front of what was read, and returns their messages."""
    messages: list[dict[str, Any]] = []
    start = 0
    while len(data) >= start + LENGTH.size:
        end = start + LENGTH.size + LENGTH.unpack_from(data, start)[0]
        if len(data) < end:
            break
        messages.append(json.loads(data[start + LENGTH.size : end]))
        start = end
    del data[:start]
    return messages


def _write(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(fd, view) :]
        except BlockingIOError:
            select.select([], [fd], [])
