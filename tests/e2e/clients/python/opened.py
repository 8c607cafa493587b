"""A thread stream of either client, over either transport, with one face."""

import asyncio

from checks import CHECKS, KEY, Awaited, Check, clients, each


class Opened:
    def __init__(self, client, transport, assistant_id, thread_id=None):
        self.client = client
        self.transport = transport
        # The WebSocket of 0.4.5 is not told the client's own headers.
        self._options = {"headers": {"x-api-key": KEY}, "transport": transport, "assistant_id": assistant_id}
        self._thread_id = thread_id

    @property
    def sync(self):
        return isinstance(self.client, Awaited)

    async def __aenter__(self):
        stream = self.client.threads.stream(self._thread_id, **self._options)
        self.stream = await stream if self.sync else stream
        await (asyncio.to_thread(self.stream.__enter__) if self.sync else self.stream.__aenter__())
        self.thread_id = self.stream.thread_id
        return self

    async def __aexit__(self, *error):
        if self.sync:
            await asyncio.to_thread(self.stream.__exit__, *error)
        else:
            await self.stream.__aexit__(*error)

    async def call(self, method, *args, **kwargs):
        return await (asyncio.to_thread(method, *args, **kwargs) if self.sync else method(*args, **kwargs))

    async def start(self, text=None, **options):
        """Starts a run with what a human says, or with the given input."""
        if text is not None:
            options["input"] = {"messages": [{"role": "human", "content": text}]}
        return await self.call(self.stream.run.start, **options)

    async def respond(self, *args, **kwargs):
        return await self.call(self.stream.run.respond, *args, **kwargs)

    async def questions(self):
        return list(self.stream.interrupts)

    async def readers(self):
        """How many read projections at the moment."""
        holder = self.stream._controller if self.sync else self.stream
        return len(holder._subscriptions)

    async def output(self):
        return await (asyncio.to_thread(lambda: self.stream.output) if self.sync else self.stream.output)

    def each(self, projection):
        return each(iter(projection) if self.sync else projection.__aiter__())

    async def all(self, projection):
        return [one async for one in self.each(projection)]

    async def said(self, message):
        """The tokens of a message that is complete."""
        return list(message.text) if self.sync else [token async for token in message.text]

    async def spoken(self, projection):
        """The tokens of each message, read when all are there: they come while somebody reads on."""
        return [await self.said(message) for message in await self.all(projection)]

    async def result(self, call):
        """What a tool call gave."""
        return await (asyncio.to_thread(lambda: call.output) if self.sync else call.output)


def ways(name):
    """A check of the streams of both clients, over both transports."""

    def declare(check):
        for transport in ("sse", "websocket"):
            for which, client in enumerate(("async", "sync")):

                def run(transport=transport, which=which):
                    return check(lambda *args: Opened(clients()[which], transport, *args))

                CHECKS.append(Check(f"{name}, {client}, {transport}", run, False))
        return check

    return declare
