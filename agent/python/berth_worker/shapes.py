"""What is known of a graph without running it."""

from __future__ import annotations

import json
from typing import Any

from .values import encode


def facts(graph: Any) -> dict[str, Any]:
    """What Berth asks of any graph, as data."""
    shown = graph.stream_channels_asis
    names = [shown] if isinstance(shown, str) else list(shown)
    before, after = graph.interrupt_before_nodes, graph.interrupt_after_nodes
    return {
        "hasCheckpoints": getattr(graph, "checkpointer", None) is not False,
        "interruptBefore": before if isinstance(before, str) else list(before),
        "interruptAfter": after if isinstance(after, str) else list(after),
        "channels": list(graph.channels),
        "inputChannels": _names(graph.input_channels),
        "outputChannels": _names(graph.output_channels),
        "streamChannels": shown if isinstance(shown, str) else names,
        "defaults": _defaults(graph, names),
        "deltas": [name for name in names if type(graph.channels.get(name)).__name__ == "DeltaChannel"],
    }


def schemas(graph: Any) -> dict[str, Any]:
    """The JSON schemas of a graph; those that cannot be made are open."""
    context = _made(graph.get_context_jsonschema) if hasattr(graph, "get_context_jsonschema") else None
    config = _made(graph.get_config_jsonschema)
    configurable = (config or {}).get("properties", {}).get("configurable")
    return {
        "input_schema": _made(graph.get_input_jsonschema) or {},
        "output_schema": _made(graph.get_output_jsonschema) or {},
        "state_schema": _state(graph) or _made(graph.get_output_jsonschema) or {},
        "config_schema": _inlined(config or {}, configurable) if configurable else context,
        "context_schema": context,
    }


async def drawing(graph: Any, config: dict[str, Any], xray: Any) -> dict[str, Any]:
    """The nodes and the edges of a graph."""
    drawn = (await graph.aget_graph(config, xray=xray)).to_json()
    # LangGraph says it of those that are conditional only.
    edges = [{**edge, "conditional": bool(edge.get("conditional"))} for edge in drawn["edges"]]
    return {"nodes": [_node(node) for node in drawn["nodes"]], "edges": edges}


def _node(node: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in node.items() if key in ("id", "type", "data")}
    return {**kept, "metadata": node["metadata"]} if node.get("metadata") else kept


def _names(channels: Any) -> Any:
    return channels if isinstance(channels, str) else list(channels)


def _defaults(graph: Any, names: list[str]) -> dict[str, Any]:
    from langgraph.errors import EmptyChannelError

    try:
        from langgraph._internal._typing import MISSING
    except ImportError:  # pragma: no cover - older ones
        from langgraph.constants import MISSING  # type: ignore[no-redef]
    found: dict[str, Any] = {}
    for name in names:
        try:
            found[name] = json.loads(encode(graph.channels[name].from_checkpoint(MISSING).get()))
        except (EmptyChannelError, KeyError, AttributeError, TypeError, ValueError):
            continue
    return found


def _state(graph: Any) -> dict[str, Any] | None:
    builder = getattr(graph, "builder", None)
    schema = getattr(builder, "state_schema", None)
    if builder is None or schema is None:
        return None
    try:
        from langgraph.graph.state import _get_json_schema

        return _get_json_schema(
            typ=schema, schemas=builder.schemas, channels=builder.channels, name=graph.get_name("State")
        )
    except Exception:
        return None


def _inlined(whole: dict[str, Any], inner: dict[str, Any]) -> dict[str, Any]:
    """The schema of `configurable` by itself."""
    reference = inner.get("$ref", "")
    definitions = whole.get("$defs") or whole.get("definitions") or {}
    return definitions.get(reference.rsplit("/", 1)[-1], inner)


def _made(schema_of: Any) -> dict[str, Any] | None:
    try:
        made = schema_of()
        encode(made)
        return made
    except Exception:
        return None
