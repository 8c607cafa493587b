"""Ada and Bob see their own threads; nobody makes crons."""

from langgraph_sdk import Auth

auth = Auth()
USERS = {"Bearer token-of-ada": "ada", "Bearer token-of-bob": "bob"}


@auth.authenticate
async def authenticate(authorization: str | None) -> Auth.types.MinimalUserDict:
    user = USERS.get(authorization or "")
    if user is None:
        raise Auth.exceptions.HTTPException(
            status_code=401, detail="who are you?", headers={"x-try": "a token"}
        )
    return {"identity": user, "permissions": ["all"], "team": "one"}


@auth.on.threads.create
async def create(ctx: Auth.types.AuthContext, value: dict) -> dict:
    metadata = value.setdefault("metadata", {})
    metadata["owner"] = ctx.user.identity
    metadata["team"] = ctx.user["team"]
    return {"owner": ctx.user.identity}


@auth.on.threads
async def others(ctx: Auth.types.AuthContext, value: dict) -> dict:
    return {"owner": ctx.user.identity}


@auth.on.crons
async def crons(ctx: Auth.types.AuthContext, value: dict) -> bool:
    return False
