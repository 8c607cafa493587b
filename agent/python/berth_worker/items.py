"""The store, kept by Berth."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from .wire import Link


class BerthStore(BaseStore):
    """Reads and writes the items of the project."""

    supports_ttl = True

    def __init__(self, link: Link, job: int) -> None:
        self._link = link
        self._job = job

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        asked = list(ops)
        told = await self._link.ask(self._job, "items", [_operation(op) for op in asked])
        return [_result(op, result) for op, result in zip(asked, told, strict=True)]

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        return self._link.wait_for(self.abatch(ops))


def _operation(op: Op) -> dict[str, Any]:
    if isinstance(op, GetOp):
        return {"namespace": op.namespace, "key": op.key}
    if isinstance(op, PutOp):
        told: dict[str, Any] = {"namespace": op.namespace, "key": op.key, "value": op.value}
        if op.index is not None:
            told["index"] = op.index
        if op.ttl is not None:
            told["ttl"] = op.ttl
        return told
    if isinstance(op, SearchOp):
        asked = {"namespacePrefix": op.namespace_prefix, "limit": op.limit, "offset": op.offset}
        more = {"filter": op.filter, "query": op.query}
        return {**asked, **{name: value for name, value in more.items() if value is not None}}
    if isinstance(op, ListNamespacesOp):
        conditions = [{"matchType": one.match_type, "path": one.path} for one in op.match_conditions or ()]
        told = {"limit": op.limit, "offset": op.offset}
        if conditions:
            told["matchConditions"] = conditions
        if op.max_depth is not None:
            told["maxDepth"] = op.max_depth
        return told
    raise TypeError(f"the store knows no {type(op).__name__}")


def _result(op: Op, told: Any) -> Result:
    if isinstance(op, ListNamespacesOp):
        return [tuple(namespace) for namespace in told]
    if isinstance(op, SearchOp):
        return [SearchItem(**_fields(one), score=one.get("score")) for one in told]
    if isinstance(op, GetOp):
        return None if told is None else Item(**_fields(told))
    return None


def _fields(told: dict[str, Any]) -> dict[str, Any]:
    return {
        "namespace": tuple(told["namespace"]),
        "key": told["key"],
        "value": told["value"],
        "created_at": _time(told["createdAt"]),
        "updated_at": _time(told["updatedAt"]),
    }


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
