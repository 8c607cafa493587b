"""The graphs of the project: where they are, and what makes them."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import AsyncIterator
from typing import Any

from .faults import NotThere, ProjectError
from .runtime import server_runtime


class Graphs:
    """What a configuration file exports, by the names of the graphs."""

    def __init__(self) -> None:
        self._exported: dict[str, Any] = {}

    def load(self, folder: str, paths: list[str], graphs: dict[str, dict[str, str]]) -> None:
        """Imports every graph.

        Raises:
            ProjectError: one cannot be imported, is not there, or is no graph.
        """
        for path in reversed([folder, *paths]):
            if path not in sys.path:
                sys.path.insert(0, path)
        for name, spec in graphs.items():
            self._exported[name] = exported(folder, spec)
            if not _is_factory(self._exported[name]):
                _graph(f"{spec['where']}: {spec['export']}", self._exported[name])

    def is_made(self, name: str) -> bool:
        """Whether a function makes the graph anew each time."""
        return _is_factory(self._of(name))

    @contextlib.asynccontextmanager
    async def open(
        self, name: str, config: dict[str, Any], access: dict[str, Any], store: Any
    ) -> AsyncIterator[Any]:
        """The graph of that name, for as long as it is used."""
        found = self._of(name)
        if not _is_factory(found):
            yield _graph(name, found)
            return
        made = _called(found, config, server_runtime(access, store))
        if inspect.isawaitable(made):
            made = await made
        if hasattr(made, "__aenter__"):
            async with made as inner:
                yield _graph(name, inner)
        elif hasattr(made, "__enter__") and not _is_graph(made):
            with made as inner:
                yield _graph(name, inner)
        else:
            yield _graph(name, made)

    def _of(self, name: str) -> Any:
        if name not in self._exported:
            raise NotThere(f'Graph "{name}" not found')
        return self._exported[name]


def exported(folder: str, spec: dict[str, str]) -> Any:
    """Imports what a configuration file names.

    Raises:
        ProjectError: it cannot be imported, or is not there.
    """
    where = spec["where"]
    try:
        module = _module(folder, spec)
    except ProjectError:
        raise
    except BaseException as error:
        raise ProjectError(f"{where}: {spec['named']} cannot be loaded: {_reason(error)}") from error
    if not hasattr(module, spec["export"]):
        raise ProjectError(f'{where}: {spec["named"]} has no "{spec["export"]}"')
    return getattr(module, spec["export"])


def _module(folder: str, spec: dict[str, str]) -> Any:
    if "module" in spec:
        return importlib.import_module(spec["module"])
    path = spec["path"]
    if not os.path.isfile(path):
        raise ProjectError(f"{spec['where']}: {path} does not exist")
    dotted = os.path.relpath(path, folder)[: -len(".py")].split(os.sep)
    if all(part.isidentifier() for part in dotted):
        # By its dotted name, so that relative imports work and a module is there once.
        with contextlib.suppress(ModuleNotFoundError):
            module = _by_name(".".join(dotted), path)
            if module is not None:
                return module
    return _by_file(path)


def _by_name(name: str, path: str) -> Any:
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    if found is None or found.origin is None or not os.path.exists(found.origin):
        return None
    return importlib.import_module(name) if os.path.samefile(found.origin, path) else None


def _by_file(path: str) -> Any:
    name = f"berth_graph_{abs(hash(path))}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ProjectError(f"{path} cannot be imported")
    beside = os.path.dirname(path)
    if beside not in sys.path:
        sys.path.append(beside)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _reason(error: BaseException) -> str:
    """The kind and the message of an error, and where in the project it is."""
    text = f"{type(error).__name__}: {error}"
    if isinstance(error, SyntaxError):
        return f"{text} ({error.filename}:{error.lineno})" if str(error.filename) not in text else text
    at = error.__traceback__
    last = None
    while at is not None:
        file = at.tb_frame.f_code.co_filename
        if "site-packages" not in file and "berth_worker" not in file and not file.startswith("<frozen"):
            last = f"{file}:{at.tb_lineno}"
        at = at.tb_next
    return f"{text} ({last})" if last else text


def _is_graph(value: Any) -> bool:
    return hasattr(value, "astream") and hasattr(value, "aget_state") and hasattr(value, "channels")


def _is_factory(value: Any) -> bool:
    return callable(value) and not _is_graph(value) and not hasattr(value, "compile")


def _graph(what: str, value: Any) -> Any:
    if _is_graph(value):
        return value
    if hasattr(value, "compile"):
        compiled = value.compile()
        if _is_graph(compiled):
            return compiled
    inner = getattr(value, "graph", None)
    if _is_graph(inner):
        return inner
    raise ProjectError(
        f"{what} is {type(value).__name__}, not a graph, a graph builder or a function that makes one"
    )


def _called(factory: Any, config: dict[str, Any], runtime: Any) -> Any:
    """Calls a factory with what it takes: a config, a runtime, both or nothing."""
    given: dict[str, Any] = {}
    parameters = [
        one
        for one in inspect.signature(factory).parameters.values()
        if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
    ]
    positional: list[Any] = []
    for parameter in parameters:
        about = f"{parameter.name} {parameter.annotation}"
        value = runtime if "untime" in about else config
        if parameter.default is not parameter.empty and "onfig" not in about and "untime" not in about:
            continue
        if parameter.kind is parameter.POSITIONAL_ONLY:
            positional.append(value)
        else:
            given[parameter.name] = value
    return factory(*positional, **given)
