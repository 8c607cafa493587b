"""Values as Berth keeps them (typed bytes with a view) and as clients read them (JSON)."""

from __future__ import annotations

import base64
import dataclasses
import datetime
import enum
import json
import math
import uuid
from collections.abc import Mapping
from typing import Any

try:
    import orjson
except ImportError:  # pragma: no cover - LangGraph's own packages bring it
    orjson = None  # type: ignore[assignment]

MARK = "berth:py"
# Beyond it a number is another one in JavaScript.
LARGEST = 2**53
DEEPEST = 16
# LangGraph's class of a delta channel's snapshot: clients see the value in it.
SNAPSHOT = "_DeltaSnapshot"
# Keys with a meaning of their own where Berth keeps values.
TAKEN = frozenset({MARK, "lc", "lg_name", "toJSON", "__proto__"})


def encode(value: Any) -> bytes:
    """JSON of anything: what it has no form for is shown as clients would see it."""
    if orjson is not None:
        try:
            return orjson.dumps(value, default=shown, option=_OPTIONS)
        except (TypeError, ValueError, RecursionError):
            pass
    text = json.dumps(_walk(value, set()), ensure_ascii=True, separators=(",", ":"))
    return text.encode("utf-8")


_OPTIONS = (
    0
    if orjson is None
    else orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_PASSTHROUGH_DATACLASS
)


def shown(value: Any) -> Any:
    """One level of what JSON has no form for."""
    if hasattr(value, "model_dump") and callable(value.model_dump) and not isinstance(value, type):
        return _message(value) if hasattr(value, "additional_kwargs") else value.model_dump()
    if isinstance(value, BaseException):
        return {"error": type(value).__name__, "message": str(value)}
    kind = type(value).__name__
    if kind == "Send" and hasattr(value, "node"):
        return {"lg_name": "Send", "node": value.node, "args": value.arg}
    if kind == "Interrupt" and hasattr(value, "value") and hasattr(value, "id"):
        schema = getattr(value, "response_schema", None)
        asked = {"id": value.id, "value": value.value}
        return asked if schema is None else {**asked, "response_schema": schema}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): inner for key, inner in value.items()}
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(bytes(value)).decode("ascii")
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, uuid.UUID):
        return str(value)
    return _otherwise(value)


def _otherwise(value: Any) -> Any:
    if hasattr(value, "_asdict"):
        return value._asdict()
    if hasattr(value, "tolist"):
        return value.tolist()
    if hasattr(value, "__iter__") and hasattr(value, "__len__"):
        return list(value)
    # Of the versions of pydantic that LangChain came from.
    if hasattr(value, "dict") and callable(value.dict) and not isinstance(value, type):
        return value.dict()
    if isinstance(value, int):
        return str(value)
    return str(value)


def _message(message: Any) -> dict[str, Any]:
    """A message as clients know it: its fields, flat, with the type that its whole form has."""
    flat = message.model_dump()
    kind = flat.get("type")
    if isinstance(kind, str) and kind.endswith("MessageChunk"):
        flat["type"] = kind[: -len("MessageChunk")].lower()
    return flat


def _walk(value: Any, above: set[int]) -> Any:
    """For what the fast way refuses: cycles, halves of characters, great numbers."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if type(value) is int:
        return value
    if type(value) is float:
        return value if math.isfinite(value) else None
    if id(value) in above:
        return "[Circular]"
    above = above | {id(value)}
    if isinstance(value, Mapping):
        return {str(key): _walk(inner, above) for key, inner in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)) and not hasattr(value, "_asdict"):
        return [_walk(inner, above) for inner in value]
    return _walk(shown(value), above)


def is_plain(value: Any, depth: int = 0) -> bool:
    """Whether a value is the same after a way through JSON and JavaScript."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return True
    if kind is int:
        return -LARGEST < value < LARGEST
    if kind is float:
        return math.isfinite(value) and not value.is_integer()
    if depth > DEEPEST:
        return False
    if kind is list:
        return all(is_plain(inner, depth + 1) for inner in value)
    return kind is dict and all(
        # JavaScript moves names that are numbers to the front.
        type(name) is str and name not in TAKEN and not name.isdigit() and is_plain(inner, depth + 1)
        for name, inner in value.items()
    )


def pack(value: Any, serde: Any) -> Any:
    """A value as it is kept: plain ones as they are, else typed bytes beside the view of them."""
    if isinstance(value, BaseException):
        # As LangGraph's own serializer stores it.
        return repr(value)
    if is_plain(value):
        return value
    kind, data = serde.dumps_typed(value)
    view = value.value if type(value).__name__ == SNAPSHOT else value
    return {MARK: [kind, base64.b64encode(data).decode("ascii")], "view": view}


def unpack(kept: Any, serde: Any) -> Any:
    """The value that was packed."""
    if type(kept) is list:
        return [unpack(one, serde) if type(one) is dict and MARK in one else one for one in kept]
    if type(kept) is dict and MARK in kept:
        kind, data = kept[MARK]
        return serde.loads_typed((kind, base64.b64decode(data)))
    return kept
