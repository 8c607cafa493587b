"""Takes the modules of the worker from the first frame, and begins."""

import importlib.abc
import importlib.util
import json
import os
import struct
import sys


def read(count: int) -> bytes:
    """So many bytes of the way from Berth; no buffer takes any that come after them."""
    data = b""
    while len(data) < count:
        piece = os.read(0, count - len(data))
        if not piece:
            os._exit(0)
        data += piece
    return data


MODULES = json.loads(read(struct.unpack(">I", read(4))[0]))


class Carried(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Finds the modules that were carried here."""

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

main()
