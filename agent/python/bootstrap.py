"""Reads the modules of the worker from the first frame, and begins."""

import contextlib
import importlib.abc
import importlib.util
import json
import os
import struct
import sys

# The connection to Berth. Programs that the project starts do not inherit it.
CONNECTION = 3
os.set_inheritable(CONNECTION, False)
# Berth ends the worker with the child processes that it left.
with contextlib.suppress(OSError):
    os.setpgrp()


def read(count: int) -> bytes:
    """Reads this number of bytes from Berth, without a buffer that would hold bytes of later frames."""
    data = b""
    while len(data) < count:
        piece = os.read(CONNECTION, count - len(data))
        if not piece:
            os._exit(0)
        data += piece
    return data


MODULES = json.loads(read(struct.unpack(">I", read(4))[0]))


class Carried(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Finds the modules of the first frame."""

    def find_spec(self, fullname, path=None, target=None):
        name = fullname.removeprefix("berth_worker").lstrip(".") or "__init__"
        if fullname.partition(".")[0] != "berth_worker" or name not in MODULES:
            return None
        return importlib.util.spec_from_loader(fullname, self, is_package=name == "__init__")

    def get_source(self, fullname):
        return MODULES[fullname.removeprefix("berth_worker").lstrip(".") or "__init__"]

    def get_code(self, fullname):
        return compile(self.get_source(fullname), f"<berth_worker>/{fullname}.py", "exec")


# `-c` puts the current folder first; the project's own folders are added when it is loaded.
sys.path[:] = [one for one in sys.path if one != ""]
sys.meta_path.insert(0, Carried())
from berth_worker.__main__ import main  # noqa: E402

main(CONNECTION)
