"""What a project has beside its graphs: who may call, routes of its own, and an embedding."""

from __future__ import annotations

import asyncio
import base64
import inspect
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import unquote, urlsplit

from .faults import NotThere, ProjectError
from .graphs import exported


class User(dict[str, Any]):
    """A user as handlers know it: by attributes and by keys."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class Code:
    """The exports that a configuration file names beside graphs."""

    def __init__(self) -> None:
        self._auth: Any = None
        self._embed: Any = None
        self._app: Any = None
        # Reported to Berth once the app has started.
        self._known: dict[str, Any] = {}
        self._lifespan: asyncio.Task[None] | None = None
        self._ends = asyncio.Event()

    def load(self, folder: str, specs: dict[str, dict[str, str]]) -> None:
        """Imports what is named.

        Raises:
            ProjectError: something cannot be imported, or is not what it should be.
        """
        if "auth" in specs:
            self._auth = exported(folder, specs["auth"])
            self._known["auth"] = self._handlers(specs["auth"]["where"])
        if "embed" in specs:
            self._embed = exported(folder, specs["embed"])
        if "app" in specs:
            self._app = exported(folder, specs["app"])
            if not callable(self._app):
                raise ProjectError(f"{specs['app']['where']}: {specs['app']['named']} is no ASGI app")

    async def begin(self) -> dict[str, Any]:
        """Starts the app; returns what is known of the code.

        Raises:
            ProjectError: the app does not start.
        """
        if self._app is not None:
            await self._begin()
            self._known["routes"] = _routes(self._app)
        return self._known

    async def end(self) -> None:
        """Shuts the app down."""
        self._ends.set()
        if self._lifespan:
            await self._lifespan

    async def authenticate(self, request: dict[str, Any]) -> Any:
        """Who sends a request, as the project says."""
        handler = self._auth._authenticate_handler
        answer = handler(**_given(handler, _facts(request)))
        if inspect.isawaitable(answer):
            answer = await answer
        if answer is None or isinstance(answer, str):
            return answer
        if isinstance(answer, dict):
            return dict(answer)
        names = ("identity", "permissions", "display_name", "is_authenticated")
        known = {name: getattr(answer, name) for name in names if hasattr(answer, name)}
        return {
            **(
                dict(answer)
                if hasattr(answer, "keys")
                else vars(answer)
                if hasattr(answer, "__dict__")
                else {}
            ),
            **known,
        }

    async def authorize(self, handler: str, question: dict[str, Any]) -> dict[str, Any]:
        """What a handler says of a question, and what it made of its value."""
        from langgraph_sdk.auth.types import AuthContext

        value = question["value"]
        user = User(question["user"])
        context = AuthContext(
            permissions=question.get("permissions") or [],
            user=user,
            resource=question["resource"],
            action=question["action"],
        )
        answer = self._named()[handler](ctx=context, value=value)
        if inspect.isawaitable(answer):
            answer = await answer
        return {"answer": answer, "value": value}

    async def embed(self, texts: list[str]) -> list[list[float]]:
        """A vector for each text."""
        embed = self._embed
        if hasattr(embed, "aembed_documents"):
            vectors = await embed.aembed_documents(texts)
        else:
            vectors = embed(texts)
            if inspect.isawaitable(vectors):
                vectors = await vectors
        return [[float(number) for number in vector] for vector in vectors]

    async def answer(self, request: dict[str, Any]) -> AsyncIterator[Any]:
        """What the app of the project answers: its status and headers, then its body."""
        if self._app is None:
            raise NotThere("The project has no app")
        body = base64.b64decode(request.get("body") or "")
        said: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        asked = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def receive() -> dict[str, Any]:
            message = next(asked, None)
            if message is None:
                # Nothing more comes until somebody leaves, which ends this task.
                await asyncio.Event().wait()
            return message or {"type": "http.disconnect"}

        async def run() -> None:
            try:
                await self._app(_scope(request), receive, said.put)
            finally:
                await said.put(None)

        task = asyncio.ensure_future(run())
        try:
            while (message := await said.get()) is not None:
                if message["type"] == "http.response.start":
                    headers = [
                        [name.decode("latin-1"), value.decode("latin-1")]
                        for name, value in message.get("headers", [])
                    ]
                    yield {"status": message["status"], "headers": headers}
                elif message["type"] == "http.response.body" and message.get("body"):
                    yield base64.b64encode(message["body"]).decode("ascii")
            await task
        finally:
            task.cancel()

    def _named(self) -> dict[str, Any]:
        """The handlers by the names under which Berth asks for them."""
        auth = self._auth
        named = {"*": auth._global_handlers[-1]} if auth._global_handlers else {}
        for (resource, action), handlers in auth._handlers.items():
            key = resource if action == "*" else f"{resource}:{action}"
            named[key] = handlers[-1]
        return named

    def _handlers(self, where: str) -> list[str]:
        auth = self._auth
        if getattr(auth, "_authenticate_handler", None) is None:
            raise ProjectError(f"{where}: it is no Auth with a function that authenticates")
        return list(self._named())

    async def _begin(self) -> None:
        """Starts the app, where it wants to be started."""
        started: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        async def receive() -> dict[str, Any]:
            if not started.done():
                return {"type": "lifespan.startup"}
            await self._ends.wait()
            return {"type": "lifespan.shutdown"}

        async def send(message: dict[str, Any]) -> None:
            if started.done():
                return
            if message["type"] == "lifespan.startup.failed":
                started.set_exception(ProjectError(f"http.app did not start: {message.get('message', '')}"))
            else:
                started.set_result(None)

        async def run() -> None:
            try:
                await self._app({"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}, receive, send)
            except Exception:
                pass
            if not started.done():
                started.set_result(None)

        self._lifespan = asyncio.ensure_future(run())
        await started


def _facts(request: dict[str, Any]) -> dict[str, Any]:
    """What an `authenticate` may take, by the names of its parameters."""
    scope = _scope(request)
    headers = dict(scope["headers"])
    authorization = headers.get(b"authorization")
    facts = {
        "headers": headers,
        "authorization": authorization.decode("latin-1") if authorization is not None else None,
        "method": scope["method"],
        "path": scope["path"],
        "path_params": {},
        "query_params": _query(scope["query_string"]),
        "scope": scope,
        "body": {},
    }
    try:
        from starlette.requests import Request

        facts["request"] = Request(scope)
    except ImportError:
        facts["request"] = User(
            {
                **facts,
                "url": request["url"],
                "headers": {k.decode(): v.decode("latin-1") for k, v in headers.items()},
            }
        )
    return facts


def _given(handler: Any, facts: dict[str, Any]) -> dict[str, Any]:
    parameters = inspect.signature(handler).parameters.values()
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        return facts
    return {one.name: facts[one.name] for one in parameters if one.name in facts}


def _query(text: bytes) -> dict[str, str]:
    from urllib.parse import parse_qsl

    return dict(parse_qsl(text.decode("latin-1"), keep_blank_values=True))


def _scope(request: dict[str, Any]) -> dict[str, Any]:
    url = urlsplit(request["url"])
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": request["method"],
        "scheme": url.scheme or "http",
        "path": unquote(url.path),
        "raw_path": url.path.encode("latin-1"),
        "query_string": url.query.encode("latin-1"),
        "root_path": "",
        "headers": [
            (name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in request["headers"]
        ],
        "client": ("127.0.0.1", 0),
        "server": (url.hostname or "localhost", url.port or 80),
        "state": {},
    }


def _routes(app: Any) -> list[dict[str, str]]:
    """The routes that an app of Starlette or FastAPI lists."""
    found: list[dict[str, str]] = []
    for route in getattr(app, "routes", None) or []:
        path = getattr(route, "path", None)
        if not isinstance(path, str):
            continue
        shown = (
            path.replace("{", ":").replace("}", "").split(":path")[0]
            if ":path}" in path
            else path.replace("{", ":").replace("}", "")
        )
        if not hasattr(route, "methods") or ":path}" in path:
            found.append({"method": "ALL", "path": f"{shown.rstrip('/')}/*"})
            continue
        found.extend({"method": method, "path": shown} for method in route.methods or ["ALL"])
    return found
