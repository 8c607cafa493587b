"""Apart from the graph, so that a process that only needs this starts fast."""

import os


def sockets(_=None):
    """The sockets that this process has."""
    found = set()
    for name in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{name}")
        except OSError:
            continue
        if target.startswith("socket:"):
            found.add(target)
    return found
