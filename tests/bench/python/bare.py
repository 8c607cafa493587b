"""The same graphs in one process without a server; prints the figures as JSON."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import Any

BEGUN = time.perf_counter()
import graphs  # noqa: E402
from langgraph.checkpoint.memory import InMemorySaver  # noqa: E402

IMPORT_MS = (time.perf_counter() - BEGUN) * 1000
WARM_S, MEASURE_S = float(sys.argv[1]), float(sys.argv[2])
HELLO = {"messages": [{"role": "user", "content": "hello"}]}


async def rate(clients: int, once: Any) -> float:
    """What all clients finish in a second."""

    async def client(number: int, seconds: float) -> int:
        end, count = time.perf_counter() + seconds, 0
        while time.perf_counter() < end:
            await once(number, count)
            count += 1
        return count

    await asyncio.gather(*(client(number, WARM_S) for number in range(clients)))
    begun = time.perf_counter()
    counts = await asyncio.gather(*(client(number, MEASURE_S) for number in range(clients)))
    return sum(counts) / (time.perf_counter() - begun)


async def stateless(number: int, count: int) -> None:
    await graphs.echo.ainvoke(HELLO)


async def main() -> None:
    kept = graphs.flat.copy(update={"checkpointer": InMemorySaver()})
    first: list[float] = []

    async def on_thread(number: int, count: int) -> None:
        await kept.ainvoke({"question": "hello"}, {"configurable": {"thread_id": f"{number}-{count // 20}"}})

    async def stream(number: int, count: int) -> None:
        begun, seen = time.perf_counter(), 0
        async for _ in graphs.tokens.astream(HELLO, stream_mode=["messages"]):
            if seen == 0:
                first.append(time.perf_counter() - begun)
            seen += 1
        if seen < graphs.TOKENS:
            raise SystemExit(f"{seen} tokens")

    figures = {
        "stateless": await rate(16, stateless),
        "threads": await rate(16, on_thread),
        "tokens": await rate(8, stream) * graphs.TOKENS,
    }
    first.clear()
    await rate(1, stream)
    figures["first"] = sorted(first)[len(first) // 2] * 1000
    print(json.dumps({**figures, "import": IMPORT_MS}))


asyncio.run(main())
