"""Imports the project, then answers Berth until the connection ends or Berth stops the worker."""

from __future__ import annotations

import asyncio


def main(connection: int) -> None:
    from .process import end_with_berth

    end_with_berth()
    from .wire import Link

    link = Link(connection)
    # Before the output is redirected: Berth reads from the plain output why a worker cannot begin.
    from .children import watch_children
    from .operations import Operations
    from .output import redirect_output

    redirect_output(link)
    watch_children(link)
    operations = Operations(link)
    first = link.first()
    # On the main thread, where signal handlers can be set, and before a loop runs: a module may call `asyncio.run`.
    operations.import_project(first["takes"])
    asyncio.run(link.serve(operations, first))
