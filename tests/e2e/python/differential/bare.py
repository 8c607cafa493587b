"""Runs every script without Berth, with LangGraph's own checkpointer, and prints what was seen as JSON."""

import asyncio
import dataclasses
import json
from typing import Any

import graphs
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

MODES = ["values", "updates", "custom"]


def shown(value: Any) -> Any:
    if hasattr(value, "model_dump"):
        return value.model_dump()
    if type(value).__name__ == "Interrupt":
        return {"value": value.value}
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if hasattr(value, "__iter__"):
        return list(value)
    return str(value)


def place(namespace: tuple[str, ...]) -> list[str]:
    return [part.split(":")[0] for part in namespace]


async def run(name: str, script: list[dict[str, Any]]) -> dict[str, Any]:
    graph = getattr(graphs, name).copy(update={"checkpointer": InMemorySaver()})
    config = {"configurable": {"thread_id": name}}
    chunks: list[Any] = []
    error = None
    for step in script:
        given = Command(resume=step["resume"]) if "resume" in step else step["input"]
        try:
            async for namespace, mode, payload in graph.astream(
                given, config, stream_mode=MODES, subgraphs=True
            ):
                chunks.append([place(namespace), mode, payload])
        except Exception as raised:
            error = {"error": type(raised).__name__, "message": str(raised)}
    history = [
        {
            "values": state.values,
            "next": list(state.next),
            "source": (state.metadata or {}).get("source"),
            "step": (state.metadata or {}).get("step"),
            "interrupts": [[task.name, [one.value for one in task.interrupts]] for task in state.tasks],
        }
        async for state in graph.aget_state_history(config)
    ]
    return {"script": script, "chunks": chunks, "error": error, "history": history}


async def main() -> None:
    seen = {name: await run(name, script) for name, script in graphs.SCRIPTS.items()}
    print(json.dumps(seen, default=shown))


asyncio.run(main())
