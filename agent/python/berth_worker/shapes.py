"""What is known of a graph without running it."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any, get_type_hints

from pydantic import TypeAdapter

from .values import encode

DIALECT = "https://json-schema.org/draft/2020-12/schema"


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
    """The JSON schemas of a graph. A field that has none is open."""
    with _typed_dicts():
        return _schemas(graph)


@contextlib.contextmanager
def _typed_dicts() -> Iterator[None]:
    """Lets pydantic describe `typing.TypedDict` before Python 3.12.

    Pydantic refuses those, because it does not find the type variables of generic ones. LangGraph's state schemas are
    not generic, and nothing is validated by the models here.
    """
    from pydantic._internal import _generate_schema

    refuses = getattr(_generate_schema, "_SUPPORTS_TYPEDDICT", None) is False
    if refuses:
        _generate_schema._SUPPORTS_TYPEDDICT = True
    try:
        yield
    finally:
        if refuses:
            _generate_schema._SUPPORTS_TYPEDDICT = False


def _schemas(graph: Any) -> dict[str, Any]:
    context = _made(graph.get_context_jsonschema) if hasattr(graph, "get_context_jsonschema") else None
    config = _made(graph.get_config_jsonschema)
    configurable = (config or {}).get("properties", {}).get("configurable")
    builder = getattr(graph, "builder", None)
    output = _made(graph.get_output_jsonschema) or _by_field(getattr(builder, "output_schema", None))
    return {
        "input_schema": _made(graph.get_input_jsonschema)
        or _by_field(getattr(builder, "input_schema", None)),
        "output_schema": output,
        "state_schema": _state(graph) or _by_field(getattr(builder, "state_schema", None)) or output,
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


def _by_field(schema: Any) -> dict[str, Any]:
    """The schema of a class field by field: one that pydantic cannot describe is open."""
    try:
        fields = get_type_hints(schema)
    except Exception:
        return {}
    properties = {name: _field(name, kind) for name, kind in fields.items()}
    return {"title": schema.__name__, "type": "object", "properties": properties}


def _field(name: str, kind: Any) -> dict[str, Any]:
    title = name.replace("_", " ").title()
    made = _made(lambda: TypeAdapter(kind).json_schema())
    # A document by itself: its references are relative to the field.
    return {"title": title, **(made or {}), "$schema": DIALECT}


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
