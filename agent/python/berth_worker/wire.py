"""The way to Berth: frames of JSON, requests in both directions, streams with a window."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import ctypes
import json
import os
import select
import signal
import struct
import sys
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from .faults import fault_of, raised
from .values import encode

LENGTH = struct.Struct(">I")
# A stream is so many items ahead of its reader at most.
WINDOW = 64
PR_SET_PDEATHSIG = 1
# How long (s) a cancelled operation waits for its threads; Berth ends a worker that answers later than 10 s.
THREAD_GRACE = 5

T = TypeVar("T")
Operation = Callable[[int, dict[str, Any]], Awaitable[Any] | AsyncGenerator[Any, None]]


# The threads of the operation that the current task belongs to.
_threads: contextvars.ContextVar[set[Future[Any]]] = contextvars.ContextVar("berth_threads")


class _Threads(ThreadPoolExecutor):
    """Runs sync nodes, and remembers whose they are: a cancelled task leaves its thread running."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        future = super().submit(fn, *args, **kwargs)
        if (threads := _threads.get(None)) is not None:
            threads.add(future)
            future.add_done_callback(threads.discard)
        return future


class Link:
    """One end of the way: what Berth asks is answered by operations, what is asked of Berth is awaited."""

    def __init__(self, write_to: int) -> None:
        self._fd = write_to
        self.loop = asyncio.get_running_loop()
        self.loop.set_default_executor(_Threads(thread_name_prefix="asyncio"))
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._windows: dict[int, asyncio.Semaphore] = {}
        self._last = 0
        self._lock = threading.Lock()

    def send(self, message: dict[str, Any]) -> None:
        """Sends a message. May be called from any thread; blocks while the pipe is full."""
        body = encode(message)
        with self._lock:
            _write(self._fd, LENGTH.pack(len(body)) + body)

    async def ask(self, job: int, of: str, takes: Any) -> Any:
        """Asks Berth, on behalf of one of its requests."""
        return await self.sent(job, of, takes)

    def sent(self, job: int, of: str, takes: Any) -> asyncio.Future[Any]:
        """Sends a question at once; its answer comes."""
        self._last += 1
        call = self._last
        answer: asyncio.Future[Any] = self.loop.create_future()
        self._asked[call] = answer
        answer.add_done_callback(lambda _: self._asked.pop(call, None))
        self.send({"type": "ask", "call": call, "job": job, "of": of, "takes": takes})
        return answer

    def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        """What sync code in a thread beside the loop asks for.

        Raises:
            RuntimeError: it runs on the loop, which would wait for itself.
        """
        try:
            here = asyncio.get_running_loop()
        except RuntimeError:
            here = None
        if here is self.loop:
            work.close()
            raise RuntimeError("code on the event loop has to await the async form of this method")
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    async def serve(self, operation: Operation) -> None:
        """Answers what Berth asks until the way ends."""
        reader = await _reader(self.loop)
        while True:
            try:
                head = await reader.readexactly(LENGTH.size)
                body = await reader.readexactly(LENGTH.unpack(head)[0])
            except (asyncio.IncompleteReadError, ConnectionError):
                return
            self._hear(json.loads(body), operation)

    def _hear(self, message: dict[str, Any], operation: Operation) -> None:
        kind = message["type"]
        if kind == "call":
            job = message["job"]
            task = self.loop.create_task(self._answer(job, operation, message))
            self._tasks[job] = task
            task.add_done_callback(lambda _: self._tasks.pop(job, None))
        elif kind == "answer":
            self._answered(message)
        elif kind == "more":
            if window := self._windows.get(message["job"]):
                for _ in range(message["count"]):
                    window.release()
        elif kind == "ping":
            self.send({"type": "pong"})
        elif kind == "cancel":
            if running := self._tasks.get(message["job"]):
                running.cancel()

    def _answered(self, message: dict[str, Any]) -> None:
        answer = self._asked.get(message["call"])
        if answer is None or answer.done():
            return
        if "fault" in message:
            answer.set_exception(raised(message["fault"]))
        else:
            answer.set_result(message.get("value"))

    async def _answer(self, job: int, operation: Operation, message: dict[str, Any]) -> None:
        threads: set[Future[Any]] = set()
        _threads.set(threads)
        try:
            result = operation(job, {"of": message["of"], **message["takes"]})
            value = None
            if isinstance(result, AsyncGenerator):
                await self._stream(job, result, message.get("window", WINDOW))
            else:
                value = await result
            self.send({"type": "answer", "job": job, "value": value})
        except asyncio.CancelledError:
            running = {asyncio.wrap_future(one) for one in list(threads)}
            late = (await asyncio.wait(running, timeout=THREAD_GRACE))[1] if running else set()
            fault = {"name": "Cancelled", "message": "cancelled", **({"code": "node_runs"} if late else {})}
            self.send({"type": "answer", "job": job, "fault": fault})
        except BaseException as error:
            self.send({"type": "answer", "job": job, "fault": fault_of(error)})

    async def _stream(self, job: int, items: AsyncGenerator[Any, None], size: int) -> None:
        window = self._windows[job] = asyncio.Semaphore(size)
        try:
            async for item in items:
                await window.acquire()
                self.send({"type": "item", "job": job, "value": item})
        finally:
            del self._windows[job]
            await items.aclose()


async def _reader(loop: asyncio.AbstractEventLoop) -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=2**20)
    await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(0, "rb", buffering=0)
    )
    return reader


def _write(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(fd, view) :]
        except BlockingIOError:
            select.select([], [fd], [])


def end_with_berth() -> None:
    """Ends this process when Berth is gone, whatever the graphs compute at that moment."""

    _die_with_parent()

    def watch() -> None:
        poll = select.poll()
        poll.register(0, select.POLLHUP)
        while True:
            if any(what & (select.POLLHUP | select.POLLERR | select.POLLNVAL) for _, what in poll.poll()):
                os._exit(0)

    threading.Thread(target=watch, name="berth-watch", daemon=True).start()


def _die_with_parent() -> None:
    """On Linux the system ends this process with the thread of Berth that started it."""
    if not sys.platform.startswith("linux"):
        return
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
