"""Begins with what Berth sent: answers until it is gone."""

from __future__ import annotations

import asyncio
import os
import sys


def main() -> None:
    # What the project prints goes where its errors go: this way is for frames only.
    frames = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = os.fdopen(os.dup(2), "w", buffering=1)
    from .wire import end_with_berth

    end_with_berth()
    asyncio.run(_serve(frames))
    os._exit(0)


async def _serve(frames: int) -> None:
    from .operations import Operations
    from .wire import Link

    link = Link(frames)
    await link.serve(Operations(link).take)
