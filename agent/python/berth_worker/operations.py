"""What Berth asks for: runs of graphs, their states, and what they look like."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import dataclasses
import sys
from collections.abc import AsyncIterator, Callable
from importlib import metadata
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Command, Send, StateSnapshot, StateUpdate

from .code import Code
from .faults import NotThere
from .graphs import Graphs
from .items import BerthStore
from .modes import BREAKPOINT, Chunk, Modes
from .saver import PLACE, BerthSaver
from .shapes import drawing, facts, schemas
from .told import Told
from .wire import Link

CHECKPOINTER = "__pregel_checkpointer"
RUNTIME = "__pregel_runtime"
# Operations that run a graph.
RUNS = ("stream", "events")
# So many turns of the loop after a step its checkpoint is on its way.
TURNS_TO_WRITE = 4


class Operations:
    """Each is a method; what it takes and gives is data."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._graphs = Graphs()
        self._code = Code()
        self._failure: BaseException | None = None
        self._lasting: set[asyncio.Task[Any]] = set()

    def import_project(self, takes: dict[str, Any]) -> None:
        """Imports what a project exports; `load` raises what that raised."""
        try:
            self._graphs.load(takes["folder"], takes["paths"], takes["graphs"])
            self._code.load(takes["folder"], takes.get("code") or {})
        except BaseException as error:
            self._failure = error

    def take(self, job: int, takes: dict[str, Any]) -> Any:
        """Begins an operation: what it gives is awaited, or read as it comes."""
        of: dict[str, Callable[[int, dict[str, Any]], Any]] = {
            "load": self._load,
            "facts": self._facts,
            "stream": self._stream,
            "events": self._events,
            "state": self._state,
            "history": self._history,
            "update": self._update,
            "drawing": self._drawing,
            "subgraphs": self._subgraphs,
            "schemas": self._schemas,
            "authenticate": lambda _, one: self._code.authenticate(one["request"]),
            "authorize": lambda _, one: self._code.authorize(one["handler"], one["question"]),
            "embed": lambda _, one: self._code.embed(one["texts"]),
            "app": lambda _, one: self._code.answer(one["request"]),
        }
        return of[takes["of"]](job, takes)

    def context_of(self, takes: dict[str, Any]) -> contextvars.Context | None:
        """Returns the context of what an operation uses."""
        return None

    def lasting_tasks(self) -> set[asyncio.Task[Any]]:
        """Returns the tasks that run until the project ends: those that its start left, such as its lifespan."""
        return self._lasting

    async def end_project(self) -> None:
        """Ends what the project started when it was loaded."""
        await self._code.end()

    async def _load(self, job: int, takes: dict[str, Any]) -> dict[str, Any]:
        if self._failure is not None:
            raise self._failure
        known: dict[str, Any] = {}
        for name in takes["graphs"]:
            if self._graphs.is_made(name):
                known[name] = None
                continue
            async with self._graphs.open(name, {}, {}, None) as graph:
                known[name] = facts(graph)
        python = ".".join(str(part) for part in sys.version_info[:3])
        versions = {"langgraph": metadata.version("langgraph"), "python": python}
        code = await self._code.begin()
        self._lasting = asyncio.all_tasks()
        return {"graphs": known, **versions, **code}

    async def _facts(self, job: int, takes: dict[str, Any]) -> dict[str, Any]:
        async with self._open(job, takes) as (graph, _):
            return facts(graph)

    async def _stream(self, job: int, takes: dict[str, Any]) -> AsyncIterator[Any]:
        async with self._open(job, takes) as (graph, config):
            modes = _modes(takes)
            given = _options(graph, takes, modes)
            subgraphs = given["subgraphs"]
            async for raw in graph.astream(_input(takes), config, **given):
                for chunk in modes.take(raw, subgraphs):
                    await _behind_its_checkpoint(chunk[1], config)
                    yield chunk
            await _settled(config)
            for chunk in [*modes.rest(), *await _breakpoint(graph, config, takes, modes)]:
                yield chunk

    async def _events(self, job: int, takes: dict[str, Any]) -> AsyncIterator[Any]:
        async with self._open(job, takes) as (graph, config):
            modes = _modes(takes)
            given = _options(graph, takes, modes)
            root = takes.get("run")
            like: dict[str, Any] = {
                "event": "on_chain_stream",
                "run_id": root,
                "name": "LangGraph",
                "tags": [],
            }

            def chunks(found: list[Chunk], event: dict[str, Any]) -> list[dict[str, Any]]:
                shapes = [chunk if given["subgraphs"] else chunk[1:] for chunk in found]
                return [{**event, "data": {"chunk": shape}} for shape in shapes]

            async for event in graph.astream_events(_input(takes), config, version="v2", **given):
                if event["event"] == "on_chain_stream" and event["run_id"] == root:
                    await _behind_its_checkpoint("values", config)
                    for one in chunks(modes.take(event["data"]["chunk"], given["subgraphs"]), event):
                        yield one
                    continue
                if event["event"] == "on_chain_end" and event["run_id"] == root:
                    await _settled(config)
                    late = [*modes.rest(), *await _breakpoint(graph, config, takes, modes)]
                    for one in chunks(late, like):
                        yield one
                yield event

    async def _state(self, job: int, takes: dict[str, Any]) -> dict[str, Any]:
        async with self._open(job, takes) as (graph, config):
            return _snapshot(await graph.aget_state(config, subgraphs=takes.get("subgraphs", False)))

    async def _history(self, job: int, takes: dict[str, Any]) -> AsyncIterator[Any]:
        async with self._open(job, takes) as (graph, config):
            narrowed = {name: takes.get(name) for name in ("filter", "before", "limit")}
            async for state in graph.aget_state_history(config, **narrowed):
                yield _snapshot(state)

    async def _update(self, job: int, takes: dict[str, Any]) -> dict[str, Any]:
        async with self._open(job, takes) as (graph, config):
            steps = [
                [StateUpdate(values=_input(one), as_node=one.get("asNode")) for one in step["updates"]]
                for step in takes["supersteps"]
            ]
            return _place(await graph.abulk_update_state(config, steps))

    async def _drawing(self, job: int, takes: dict[str, Any]) -> dict[str, Any]:
        async with self._open(job, takes) as (graph, config):
            return await drawing(graph, config, takes["xray"])

    async def _subgraphs(self, job: int, takes: dict[str, Any]) -> list[Any]:
        async with self._open(job, takes) as (graph, _):
            found = graph.aget_subgraphs(namespace=takes.get("namespace") or None, recurse=takes["recurse"])
            return [[name, facts(inner)] async for name, inner in found]

    async def _schemas(self, job: int, takes: dict[str, Any]) -> dict[str, Any]:
        async with self._open(job, takes) as (graph, _):
            return schemas(graph)

    @contextlib.asynccontextmanager
    async def _open(self, job: int, takes: dict[str, Any]) -> AsyncIterator[tuple[Any, dict[str, Any]]]:
        """The graph that is asked for, or the one inside it at a path of nodes, with the config of the call."""
        store = BerthStore(self._link, job)
        config = self._config(job, takes, store)
        access = takes.get("access") or {}
        async with self._graphs.open(takes["graph"], config, access, store) as graph:
            at = takes.get("at")
            yield (await _inside(graph, at) if at else graph), config

    def _config(self, job: int, takes: dict[str, Any], store: BerthStore) -> dict[str, Any]:
        config: dict[str, Any] = dict(takes.get("config") or {})
        configurable = {**(config.get("configurable") or {})}
        if takes.get("hasSaver"):
            waits = takes["of"] not in RUNS or takes.get("durability") == "sync"
            configurable[CHECKPOINTER] = BerthSaver(self._link, job, waits)
        if takes.get("hasStore"):
            configurable[RUNTIME] = Runtime(store=store)
        config["configurable"] = configurable
        if "told" in takes:
            config["callbacks"] = [Told(self._link, job, takes["told"])]
        return config


async def _behind_its_checkpoint(mode: str, config: dict[str, Any]) -> None:
    """LangGraph gives a state away and then stores it: nobody is to see one that was not on its way."""
    if mode == "values" and CHECKPOINTER in config["configurable"]:
        for _ in range(TURNS_TO_WRITE):
            await asyncio.sleep(0)


async def _settled(config: dict[str, Any]) -> None:
    saver = config["configurable"].get(CHECKPOINTER)
    if saver is not None:
        await saver.settle()


async def _inside(graph: Any, path: str) -> Any:
    async for _, inner in graph.aget_subgraphs(namespace=path, recurse=True):
        return inner
    raise NotThere(f'Subgraph "{path}" not found')


def _modes(takes: dict[str, Any]) -> Modes:
    return Modes(takes["modes"], takes.get("envelopes", False), takes["told"].get("models", False))


def _options(graph: Any, takes: dict[str, Any], modes: Modes) -> dict[str, Any]:
    named = {
        "interruptBefore": "interrupt_before",
        "interruptAfter": "interrupt_after",
        "durability": "durability",
    }
    given = {python: takes[name] for name, python in named.items() if takes.get(name)}
    given["stream_mode"] = modes.wanted
    given["output_keys"] = graph.output_channels
    given["subgraphs"] = bool(takes.get("subgraphs"))
    context = takes.get("context")
    if context == {}:
        context = _empty_context(getattr(graph, "context_schema", None))
    return {**given, "context": context} if context is not None else given


def _empty_context(schema: Any) -> Any:
    """Nodes read members of it without asking: it is empty where the run has none, if its schema allows that."""
    if not isinstance(schema, type) or not (
        dataclasses.is_dataclass(schema) or hasattr(schema, "model_fields")
    ):
        return {}
    try:
        return schema()
    except Exception:
        return None


async def _breakpoint(graph: Any, config: dict[str, Any], takes: dict[str, Any], modes: Modes) -> list[Chunk]:
    """Reports a stop at a static breakpoint, because LangGraph's stream does not in its `values`."""
    named = [takes.get("interruptBefore"), takes.get("interruptAfter")]
    own = [graph.interrupt_before_nodes, graph.interrupt_after_nodes]
    if modes.has_asked or not any([*named, *own]) or CHECKPOINTER not in config["configurable"]:
        return []
    # Where it stands now, not where it was forked from.
    newest = {key: value for key, value in config["configurable"].items() if key not in PLACE[2:]}
    state = await graph.aget_state({"configurable": newest})
    return [([], BREAKPOINT, None)] if state.next else []


def _input(takes: dict[str, Any]) -> Any:
    """An input or an update as LangGraph takes it: a command is an object of its own."""
    value = takes.get("command")
    if value is None:
        return takes.get("input")
    given = {name: value[name] for name in ("update", "resume", "graph") if value.get(name) is not None}
    if isinstance(given.get("update"), list):
        given["update"] = [tuple(pair) for pair in given["update"]]
    goto = value.get("goto")
    if goto:
        targets = goto if isinstance(goto, list) else [goto]
        given["goto"] = [
            one if isinstance(one, str) else Send(one["node"], one.get("args")) for one in targets
        ]
    return Command(**given)


def _snapshot(state: StateSnapshot) -> dict[str, Any]:
    return {
        "values": state.values,
        "next": state.next,
        "config": _place(state.config),
        "metadata": state.metadata,
        "createdAt": state.created_at,
        "parentConfig": _place(state.parent_config) if state.parent_config else None,
        "tasks": [_task(task) for task in state.tasks],
    }


def _task(task: Any) -> dict[str, Any]:
    told = {
        "id": task.id,
        "name": task.name,
        "path": task.path,
        "error": task.error,
        "interrupts": task.interrupts,
    }
    if isinstance(task.state, StateSnapshot):
        told["state"] = _snapshot(task.state)
    elif task.state:
        told["state"] = _place(task.state)
    return {**told, "result": task.result} if task.result is not None else told


def _place(config: Any) -> dict[str, Any]:
    configurable = (config or {}).get("configurable") or {}
    return {
        "configurable": {name: configurable[name] for name in PLACE if configurable.get(name) is not None}
    }
