"""Nodes that start processes, print, and leave work behind."""

import asyncio
import logging
import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

from langgraph.graph import END, START, StateGraph
from sockets import sockets
from typing_extensions import TypedDict

logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(message)s")
FOREVER = "import time\nwhile True: time.sleep(1)"


class State(TypedDict, total=False):
    how: str
    mark: str
    seconds: float
    text: str


async def inherited(kind):
    """Whether a child process has the connection to Berth."""
    connection = os.readlink("/proc/self/fd/3")
    if kind in ("fork", "spawn"):
        loop = asyncio.get_running_loop()
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(kind)) as pool:
            return connection in await loop.run_in_executor(pool, sockets)
    listed = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", "import sockets; print(sockets.sockets())"], capture_output=True, text=True, close_fds=kind != "open"
    )
    return connection in listed.stdout


def print_forked(mark):
    print(f"{mark} forked")


async def prints(mark):
    print(f"{mark} printed", "in", "words")
    print(f"{mark} without", end=" ")
    sys.stdout.write("an end at first\n")
    logging.getLogger("agent").info("%s logged", mark)
    await asyncio.to_thread(print, f"{mark} in a thread")
    await asyncio.to_thread(subprocess.run, ["sh", "-c", f"echo {mark} by a child; echo {mark} as an error >&2"])
    child = await asyncio.create_subprocess_shell(f"echo {mark} by an async child")
    await child.wait()
    process = multiprocessing.get_context("fork").Process(target=print_forked, args=(mark,))
    process.start()
    process.join()
    os.write(1, f"{mark} on the descriptor\n".encode())
    print(f"{mark} unfinished", end="")


async def leave(mark, seconds):
    await asyncio.sleep(seconds)
    with open(f"{mark}.txt", "w") as file:
        file.write("done")


TASKS = set()


async def node(state):
    how, mark = state["how"], state.get("mark", "")
    if how == "inherited":
        kinds = ("closed", "open", "fork", "spawn")
        return {"text": " ".join([f"{kind}={await inherited(kind)}" for kind in kinds])}
    if how == "prints":
        await prints(mark)
    if how == "survivor":
        child = await asyncio.create_subprocess_exec(sys.executable, "-c", FOREVER, mark)
        await child.wait()
    if how == "background":
        task = asyncio.create_task(leave(mark, state["seconds"]))
        TASKS.add(task)
        task.add_done_callback(TASKS.discard)
    if how == "fork returns":
        pid = os.fork()
        if pid:
            return {"text": str(os.waitpid(pid, 0)[1] != 0)}
    return {"text": "done"}


graph = StateGraph(State).add_node("node", node).add_edge(START, "node").add_edge("node", END).compile()
