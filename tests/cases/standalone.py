"""Runs a graph by itself, with a saver and a store in memory: `standalone.py FOLDER MODULE INPUTS` prints the texts."""

import asyncio
import importlib
import json
import sys

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command


async def text_of(graph, given):
    config = {"configurable": {"thread_id": "one"}}
    state = await graph.ainvoke(given, config)
    if "__interrupt__" in state:
        state = await graph.ainvoke(Command(resume="yes"), config)
    return state.get("text")


def main(folder, module, inputs):
    sys.path.insert(0, folder)
    exported = importlib.import_module(module).graph
    texts = []
    for given in json.loads(inputs):
        graph = exported.builder.compile(checkpointer=InMemorySaver(), store=InMemoryStore())
        texts.append(asyncio.run(text_of(graph, given)))
    print(json.dumps(texts))


if __name__ == "__main__":
    main(*sys.argv[1:])
