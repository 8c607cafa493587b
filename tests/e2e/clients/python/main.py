"""Runs the checks of the files that the arguments name, and prints what became of each as a line of JSON."""

import asyncio
import importlib
import json
import os
import sys
import time
import traceback
import warnings
from concurrent.futures import ThreadPoolExecutor

from checks import CHECKS

AT_ONCE = 12
LIMIT_SECONDS = 60


# Whatever a library prints is no line of ours.
LINES, sys.stdout = sys.stdout, sys.stderr


def say(**news):
    print(json.dumps(news), file=LINES, flush=True)


async def run(file, check, gate):
    async with gate:
        began = time.monotonic()
        error = None
        try:
            await asyncio.wait_for(check.run(), LIMIT_SECONDS)
        except BaseException:
            error = traceback.format_exc()
        seconds = round(time.monotonic() - began, 2)
        # Some of the clients' own code takes a cancellation for an end like any other.
        if error is None and seconds > LIMIT_SECONDS:
            error = f"it took {seconds} s"
        say(file=file, name=check.name, error=error, seconds=seconds)


def declared(file):
    """The checks of a file; one that cannot be loaded says so, and the others go on."""
    before = len(CHECKS)
    try:
        importlib.import_module(file.removesuffix(".py"))
    except BaseException:
        say(file=file, name=None, error=traceback.format_exc(), seconds=0)
        return []
    return [(file, check) for check in CHECKS[before:]]


async def main(files):
    # What is deprecated is checked as well, and reconnecting is what some checks are for.
    warnings.simplefilter("ignore")
    # Each stream that the sync clients read, and each call that they wait for, sits in a thread.
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(100))
    checks = [one for file in files for one in declared(file)]
    gate = asyncio.Semaphore(AT_ONCE)
    await asyncio.gather(*(run(file, check, gate) for file, check in checks if not check.alone))
    for file, check in checks:
        if check.alone:
            await run(file, check, gate)
    # A thread that still reads would keep the process from its end.
    os._exit(0)


asyncio.run(main(sys.argv[1:]))
