"""The same as the auth of the project in TypeScript beside it: everything belongs to its creator."""

import re
from typing import Any

from langgraph_sdk import Auth

auth = Auth()


@auth.authenticate
async def authenticate(authorization: str | None) -> Auth.types.MinimalUserDict:
    token = re.fullmatch(r"Bearer (\w+?)(?:-(\w+))?", authorization or "")
    if token is None:
        raise Auth.exceptions.HTTPException(status_code=401, detail="Who are you?")
    return {"identity": token[1], "permissions": [], "way": token[2] or "place"}


def put(value: dict[str, Any], name: str, way: str, members: dict[str, Any]) -> None:
    before = value.get(name) or {}
    if way == "replace":
        value[name] = {**before, **members}
    else:
        before.update(members)
        value[name] = before


def check(value: dict[str, Any], way: str) -> None:
    kwargs = dict(value["kwargs"])
    said = (kwargs.get("input") or {}).get("said")
    if said is not None and said != "ask":
        put(kwargs, "input", way, {"said": "checked"})
    resume = (kwargs.get("command") or {}).get("resume")
    if resume:
        put(kwargs, "command", way, {"resume": {name: "checked" for name in resume}})
    if way == "replace":
        value["kwargs"] = kwargs


@auth.on
async def owned(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> Any:
    identity, way = ctx.user.identity, ctx.user["way"]
    if identity == "eve":
        return False
    owner = {"owner": identity}
    allowed = None if identity == "lena" else owner
    if ctx.resource == "store":
        if ctx.action == "put":
            put(value, "value", way, owner)
        if ctx.action == "search":
            put(value, "filter", way, owner)
        if ctx.action == "list_namespaces":
            value["namespace"] = [identity]
        return allowed
    put(value, "metadata", way, owner)
    if ctx.action == "create_run":
        check(value, way)
    return allowed
