"""What each file of checks uses: how one is declared, and the sync client with the face of the async one."""

import asyncio
import inspect
import os
import time
from dataclasses import dataclass
from functools import cache
from typing import Awaitable, Callable

import httpx

URL = os.environ["BERTH_URL"]
KEY = os.environ["BERTH_KEY"]
# Where the test that started this makes proxies that can be cut.
PROXIES = os.environ["BERTH_PROXIES"]
# How long a fact is waited for: tests/limits.ts.
WAIT_LIMIT_S = float(os.environ["BERTH_WAIT_LIMIT_S"])

GIVEN = {"messages": [{"role": "human", "content": "hello"}]}
SAID = ["hello", "begin", "tool_call__begin", "end"]


@dataclass
class Check:
    name: str
    run: Callable[[], Awaitable[None]]
    # Touches what others rely on, so it runs when they are over.
    alone: bool


CHECKS: list[Check] = []


def once(name, alone=False):
    """A check that says itself which client it uses."""

    def declare(check):
        CHECKS.append(Check(name, check, alone))
        return check

    return declare


def both(name, alone=False):
    """A check of the async and of the sync client of langgraph_sdk."""

    def declare(check):
        CHECKS.append(Check(f"{name}, async", lambda: check(clients()[0]), alone))
        CHECKS.append(Check(f"{name}, sync", lambda: check(clients()[1]), alone))
        return check

    return declare


def through(way, client):
    """A client of the same kind that goes another way to Berth."""
    from langgraph_sdk import get_client, get_sync_client

    if isinstance(client, Awaited):
        return Awaited(get_sync_client(url=way.url, api_key=KEY))
    return get_client(url=way.url, api_key=KEY)


@cache
def clients():
    """The async client, and the sync one as if it were async."""
    from langgraph_sdk import get_client, get_sync_client

    return get_client(url=URL, api_key=KEY), Awaited(get_sync_client(url=URL, api_key=KEY))


@cache
def http():
    """For what no client has a method for; making one takes longer than most checks."""
    return httpx.AsyncClient(base_url=URL, headers={"x-api-key": KEY})


class Awaited:
    """Something sync with the face of its async twin: calls are made in a thread."""

    def __init__(self, target):
        self._target = target

    def __getattr__(self, name):
        found = getattr(self._target, name)
        if not callable(found):
            return Awaited(found)
        return lambda *args, **kwargs: asyncio.to_thread(found, *args, **kwargs)


async def each(stream):
    """The parts of a stream, whichever client it is of; it is closed when nobody reads on."""
    if inspect.isawaitable(stream):
        stream = await stream
    if hasattr(stream, "__aiter__"):
        try:
            async for part in stream:
                yield part
        finally:
            await stream.aclose()
        return
    end = object()
    try:
        while (part := await asyncio.to_thread(next, stream, end)) is not end:
            yield part
    finally:
        stream.close()


async def collected(stream):
    return [part async for part in each(stream)]


async def refused(error, call):
    """The error that the call has to end with."""
    try:
        answer = await call
    except error as raised:
        return raised
    raise AssertionError(f"no {error.__name__}, but {answer!r}")


async def until(what, ask, holds=bool):
    """Asks until the answer is what is waited for, and gives it."""
    limit = time.monotonic() + WAIT_LIMIT_S
    while not holds(answer := await ask()):
        if time.monotonic() > limit:
            raise AssertionError(f"{what}: still {answer!r}")
        await asyncio.sleep(0.01)
    return answer


def same(given, wanted):
    """Says what is different, where a bare assert would say nothing."""
    assert given == wanted, f"{given!r} is not {wanted!r}"


def texts(values):
    return [message["content"] for message in values["messages"]]


class Proxy:
    """A way to Berth whose connections can be cut."""

    def __init__(self, url):
        self.url = url

    async def cut(self):
        await _tell_proxies(cut=self.url)

    async def connections(self):
        return (await _tell_proxies(count=self.url))["connections"]

    async def connected(self, times):
        """Waits until so many connections have been made through it."""
        await until("connections", self.connections, lambda made: made >= times)

    async def answered(self):
        """Waits until an answer has begun to come through it."""

        async def size():
            return (await _tell_proxies(count=self.url))["answered"]

        await until("an answer", size)
        # What has come through is read by the client while this asks on.
        for _ in range(3):
            await size()


async def proxy():
    return Proxy((await _tell_proxies())["url"])


async def _tell_proxies(**what):
    return (await http().post(PROXIES, json=what)).json()
