"""The clients themselves: keys, headers of their own, and that they can be closed."""

import asyncio

from checks import KEY, URL, once, refused, same
from langgraph_sdk import get_client, get_sync_client
from langgraph_sdk.errors import AuthenticationError


@once("a client without the key, with another, and with the key as a header")
async def keys():
    for key in (None, "another"):
        async with get_client(url=URL, api_key=key) as client:
            error = await refused(AuthenticationError, client.assistants.search())
            same(error.status_code, 401)
            assert error.request_id, error.response.headers
    async with get_client(url=URL, api_key=None, headers={"authorization": f"Bearer {KEY}"}) as client:
        assert await client.assistants.search(), "no assistants"


@once("a sync client: the same")
async def sync_keys():
    def call(key, **headers):
        with get_sync_client(url=URL, api_key=key, headers=headers) as client:
            return client.assistants.search(limit=1)

    for key in (None, "another"):
        await refused(AuthenticationError, asyncio.to_thread(call, key))
    same(len(await asyncio.to_thread(call, None, authorization=f"Bearer {KEY}")), 1)


@once("a client's own headers reach the graph, and a call's come before them")
async def headers():
    async with get_client(url=URL, api_key=KEY, headers={"x-colour": "red"}) as client:
        same((await client.runs.wait(None, "echo", input={"text": "a"}))["header"], "red")
        answer = await client.runs.wait(None, "echo", input={"text": "a"}, headers={"x-colour": "blue"})
        same(answer["header"], "blue")
