"""Checkpoints, kept by Berth."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import Future
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)

from .values import MARK, pack, unpack
from .wire import Link

PAGE = 20
# The youngest elements of a list are compared by what they hold: nodes change them in place most often.
WATCHED = 4
# Of the config of a subgraph: which task of its parent it is.
OF_TASK = ("langgraph_step", "langgraph_node", "langgraph_triggers", "langgraph_path")
PLACE = ("thread_id", "checkpoint_ns", "checkpoint_id", "checkpoint_map")
WORD = "0123456789abcdefghijklmnopqrstuvwxyz"


class _List:
    """A list that Berth has, under a number: its elements, and how the youngest were packed."""

    __slots__ = ("elements", "number", "packed")

    def __init__(self, number: int, elements: list[Any], packed: dict[int, Any]) -> None:
        self.number = number
        self.elements = elements
        self.packed = packed


class BerthSaver(BaseCheckpointSaver[str]):
    """Reads and writes the checkpoints of one request to Berth."""

    def __init__(self, link: Link, job: int, waits: bool = True) -> None:
        super().__init__()
        self._link = link
        self._job = job
        # Otherwise a write is on its way once it is sent: Berth keeps the order, and says at the end what failed.
        self._waits = waits
        self._sent: set[Future[Any]] = set()
        self._failed: BaseException | None = None
        self._lists: dict[tuple[str, str], _List] = {}
        self._touched: set[int] = set()
        self._numbers = 0

    def get_next_version(self, current: str | int | None, channel: None = None) -> str:
        """The next number, and a random end: two forks of a checkpoint never share a version."""
        counter = 0 if current is None else int(str(current).split(".", 1)[0])
        return f"{counter + 1:010d}.{''.join(random.choices(WORD, k=8))}"

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        number = self._number()
        told = await self._link.ask(self._job, "getTuple", {"config": _place(config), "as": number})
        return self._tuple(told, number) if told else None

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        left = limit
        while left is None or left > 0:
            size = PAGE if left is None else min(PAGE, left)
            asked = {"filter": filter, "before": _place(before) if before else None, "limit": size}
            page = await self._link.ask(self._job, "list", {"config": _place(config or {}), **asked})
            for told in page:
                yield self._tuple(told, None)
            if len(page) < size:
                return
            before = page[-1]["config"]
            left = None if left is None else left - len(page)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: dict[str, Any],
    ) -> RunnableConfig:
        # Everything is packed before this first waits: the graph goes on to change its values.
        namespace = config["configurable"].get("checkpoint_ns") or ""
        values = {
            name: self._channel(namespace, name, checkpoint["channel_values"][name])
            for name in new_versions
            if name in checkpoint["channel_values"]
        }
        self._touched.clear()
        rest = {key: value for key, value in checkpoint.items() if key != "channel_values"}
        asked = {
            "config": {**_place(config), "metadata": _of_task(config)},
            "checkpoint": rest,
            "values": values,
            "metadata": metadata,
            "versions": new_versions,
        }
        await self._write("put", asked)
        place = {"thread_id": config["configurable"]["thread_id"], "checkpoint_ns": namespace}
        return {"configurable": {**place, "checkpoint_id": checkpoint["id"]}}

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        for _, value in writes:
            self._touch(value, 2)
        packed = [[channel, pack(value, self.serde)] for channel, value in writes]
        asked = {"config": _place(config), "writes": packed, "task": task_id, "path": task_path}
        await self._write("putWrites", asked)

    async def adelete_thread(self, thread_id: str) -> None:
        await self._link.ask(self._job, "deleteThread", {"thread": thread_id})

    async def settle(self) -> None:
        """Resolves when all that was sent is stored. Raises what one of the writes failed with."""
        while sent := [asyncio.wrap_future(one) for one in list(self._sent)]:
            await asyncio.wait(sent)
        if self._failed is not None:
            raise self._failed

    async def _write(self, of: str, asked: dict[str, Any]) -> None:
        if self._failed is not None:
            raise self._failed
        if self._waits:
            await self._link.ask(self._job, of, asked)
            return
        sent = self._link.sent(self._job, of, asked)
        self._sent.add(sent)
        sent.add_done_callback(self._written)

    def _written(self, sent: Future[Any]) -> None:
        self._sent.discard(sent)
        if not sent.cancelled() and (error := sent.exception()) is not None:
            self._failed = self._failed or error

    # Sync code calls these, in a thread or on the loop: `get_state` in a node, a subgraph that a node invokes.

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return self._link.wait_for(self.aget_tuple(config))

    def list(self, config: RunnableConfig | None, **options: Any) -> Iterator[CheckpointTuple]:
        return iter(self._link.wait_for(self._all(config, options)))

    def put(self, config: RunnableConfig, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        return self._link.wait_for(self.aput(config, checkpoint, metadata, new_versions))

    def put_writes(self, config: RunnableConfig, writes: Any, task_id: str, task_path: str = "") -> None:
        self._link.wait_for(self.aput_writes(config, writes, task_id, task_path))

    async def _all(self, config: RunnableConfig | None, options: dict[str, Any]) -> Any:
        return [one async for one in self.alist(config, **options)]

    def _number(self) -> int:
        self._numbers += 1
        return self._numbers

    def _tuple(self, told: dict[str, Any], number: int | None) -> CheckpointTuple:
        namespace = told["config"]["configurable"].get("checkpoint_ns") or ""
        kept = told["checkpoint"]["channel_values"]
        values = {name: unpack(value, self.serde) for name, value in kept.items()}
        if number is not None:
            for name, value in kept.items():
                if type(value) is list:
                    packed = {at: value[at] for at in range(max(0, len(value) - WATCHED), len(value))}
                    self._lists[namespace, name] = _List(number, list(values[name]), packed)
        writes = [(task, channel, unpack(value, self.serde)) for task, channel, value in told["writes"]]
        return CheckpointTuple(
            config=told["config"],
            checkpoint=cast(Checkpoint, {**told["checkpoint"], "channel_values": values}),
            metadata=told["metadata"],
            parent_config=told.get("parent"),
            pending_writes=writes,
        )

    def _channel(self, namespace: str, name: str, value: Any) -> Any:
        if type(value) is not list:
            return {"value": pack(value, self.serde)}
        known = self._lists.get((namespace, name))
        keep = self._kept(known, value) if known else 0
        more = [pack(one, self.serde) for one in value[keep:]]
        number = self._number()
        youngest = range(max(0, len(value) - WATCHED), len(value))
        packed = {
            at: more[at - keep] if at >= keep else known.packed[at] if known and at in known.packed else None
            for at in youngest
        }
        packed = {at: one if one is not None else pack(value[at], self.serde) for at, one in packed.items()}
        self._lists[namespace, name] = _List(number, list(value), packed)
        return {"of": known.number if known and keep else 0, "keep": keep, "more": more, "as": number}

    def _kept(self, known: _List, value: Sequence[Any]) -> int:
        """How many of the first elements are as they were."""
        shared = min(len(known.elements), len(value))
        for at in range(shared):
            old, new = known.elements[at], value[at]
            if at in known.packed:
                if not _same(known.packed[at], pack(new, self.serde)):
                    return at
            elif old is not new or id(new) in self._touched:
                return at
        return shared

    def _touch(self, value: Any, depth: int) -> None:
        """Remembers what a node wrote: it may be an element of a list that the node has changed in place."""
        self._touched.add(id(value))
        if depth == 0:
            return
        inner = (
            value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
        )
        for one in inner:
            self._touch(one, depth - 1)


def _same(one: Any, other: Any) -> bool:
    if type(one) is dict and MARK in one:
        return type(other) is dict and one[MARK] == other.get(MARK)
    return type(one) is type(other) and one == other


def _place(config: RunnableConfig) -> dict[str, Any]:
    configurable = config.get("configurable") or {}
    return {
        "configurable": {name: configurable[name] for name in PLACE if configurable.get(name) is not None}
    }


def _of_task(config: RunnableConfig) -> dict[str, Any]:
    metadata = config.get("metadata") or {}
    return {name: metadata[name] for name in OF_TASK if name in metadata}
