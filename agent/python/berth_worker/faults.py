"""Errors as they travel."""

from __future__ import annotations

import traceback
from typing import Any

LONGEST = 8_192
MOST_FRAMES = 30
MOST_CAUSES = 3


class ProjectError(Exception):
    """The project cannot work as it is; told in one line."""


class NotThere(Exception):
    """What was asked for does not exist."""


class Denied(Exception):
    """Berth refused something."""


def fault_of(error: BaseException, depth: int = 0) -> dict[str, Any]:
    """The name, the message and the places of an error; what it was caused by inside it."""
    name = type(error).__name__
    # What refuses a request says with which words.
    detail = getattr(error, "detail", None)
    message = (detail if isinstance(detail, str) else str(error))[:LONGEST]
    told: dict[str, Any] = {"name": name, "message": message, "stack": _stack(name, message, error)}
    for key in ("code", "status_code", "fingerprint"):
        value = getattr(error, key, None)
        if isinstance(value, (str, int)) and not isinstance(value, bool):
            told[key] = value
    headers = getattr(error, "headers", None)
    if "status_code" in told and isinstance(headers, dict):
        told["headers"] = {str(name): str(value) for name, value in headers.items()}
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None and depth < MOST_CAUSES:
        told["cause"] = fault_of(cause, depth + 1)
    return told


def raised(fault: dict[str, Any]) -> Exception:
    """The error that Berth answered with, for the code that asked."""
    kind = type(str(fault.get("name") or "Error"), (Denied,), {})
    return kind(fault.get("message", ""))


def _stack(name: str, message: str, error: BaseException) -> str:
    """In the form that Berth reads the places of: the innermost first."""
    frames = traceback.extract_tb(error.__traceback__)[-MOST_FRAMES:]
    own = [frame for frame in frames if "berth_worker" not in frame.filename]
    places = [f"    at {frame.name} ({frame.filename}:{frame.lineno})" for frame in reversed(own)]
    return "\n".join([f"{name}: {message}", *places])
