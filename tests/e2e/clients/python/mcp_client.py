"""The client of mcp against /mcp, over streamable HTTP, on both of its wires."""

import asyncio
from contextlib import asynccontextmanager
from uuid import uuid4

from checks import CHECKS, KEY, URL, WAIT_LIMIT_S, Check, http, once, refused, same, until
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

# How the client is told to speak, and what it then speaks.
WIRES = {"legacy": "2025-11-25", "auto": "2026-07-28", "2026-07-28": "2026-07-28"}


def wires(name):
    """A check on each wire."""

    def declare(check):
        for mode in WIRES:
            CHECKS.append(Check(f"{name}, {mode}", lambda mode=mode: check(mode), False))
        return check

    return declare


@asynccontextmanager
async def connected(mode, **headers):
    # By its name a call is told from one with the same number of another client with the same key.
    headers = {"x-api-key": KEY, "user-agent": f"check {uuid4()}", **headers}
    async with create_mcp_http_client(headers=headers) as sender:
        transport = streamable_http_client(f"{URL}/mcp", http_client=sender)
        async with Client(transport, mode=mode, read_timeout_seconds=WAIT_LIMIT_S) as client:
            yield client


def text(answer):
    return [part.text for part in answer.content]


@wires("the handshake, or none, and the tools")
async def tools(mode):
    async with connected(mode) as client:
        same(client.protocol_version, WIRES[mode])
        if mode != "2026-07-28":
            # A client that is told the version asks nothing first.
            same(client.server_info.name, "berth")
            assert client.server_capabilities.tools is not None, client.server_capabilities
        found = {tool.name: tool for tool in (await client.list_tools()).tools}
        same(found["echo"].description, "Gives back what it is given")
        properties = found["echo"].input_schema["properties"]
        same(properties["text"], {"type": "string", "description": "What to say"})
        same((properties["times"]["minimum"], properties["times"]["maximum"]), (1, 9))
        assert "agent" in found and "nested" in found, found


@wires("a call: text, structured content, headers")
async def call(mode):
    async with connected(mode, **{"x-colour": "blue"}) as client:
        answer = await client.call_tool("echo", {"text": "hey", "times": 2})
        values = answer.structured_content
        same((values["text"], values["header"], answer.is_error), ("hey hey", "blue", False))
        steps = await client.call_tool("steps", {"messages": [{"role": "user", "content": "go"}]})
        same(text(steps), ["three"])
        answers = await asyncio.gather(
            *(client.call_tool("echo", {"text": f"call {n}"}) for n in range(10))
        )
        same([one.structured_content["text"] for one in answers], [f"call {n}" for n in range(10)])


@wires("what goes wrong: a tool that fails, arguments that do not fit, a question, an unknown tool")
async def wrong(mode):
    async with connected(mode) as client:
        failed = await client.call_tool("failing", {})
        assert failed.is_error and "intentionally returns an error" in text(failed)[0], failed
        refusal = await client.call_tool("echo", {"text": "hey", "times": 20})
        assert refusal.is_error and "times" in text(refusal)[0], refusal
        asked = await client.call_tool("questions", {})
        same((asked.is_error, len(asked.structured_content["__interrupt__"])), (True, 2))
        error = await refused(MCPError, client.call_tool("nobody", {}))
        same((error.code, error.message), (-32602, "Unknown tool: nobody"))
        same((await refused(MCPError, client.list_prompts())).code, -32601)


@wires("progress: each node, or what the graph says itself")
async def progress(mode):
    async with connected(mode) as client:

        async def told(name):
            seen = []

            async def hear(progress, total, message):
                seen.append((progress, total, message))

            await client.call_tool(name, {}, progress_callback=hear)
            return seen

        steps = [(float(n), None, node) for n, node in enumerate(["first", "second", "third"], 1)]
        same(await told("steps"), steps)
        same(await told("progress"), [(float(n), 100.0, f"{n} of 100") for n in (0, 50, 100)])


@wires("cancellation: a call that is given up stops its run")
async def cancellation(mode):
    name = str(uuid4())

    async def state():
        found = (await http().get("/store/items", params={"namespace": "slow", "key": name})).json()
        return found and found["value"]["state"]

    async with connected(mode) as client:
        calling = asyncio.create_task(client.call_tool("waiting", {"name": name}))
        await until("the tool waits", state, lambda now: now == "waiting")
        calling.cancel()
        await refused(asyncio.CancelledError, calling)
        await until("the tool is stopped", state, lambda now: now == "stopped")
        # The connection is as good as before.
        same((await client.call_tool("echo", {"text": "on"})).structured_content["text"], "on")


@wires("a call that takes too long for its caller")
async def too_long(mode):
    async with connected(mode) as client:
        call = client.call_tool("waiting", {"name": str(uuid4())}, read_timeout_seconds=0.3)
        error = await refused(MCPError, call)
        assert "imed out" in error.message, error.message


@once("ping, on the wire that has it")
async def ping():
    async with connected("legacy") as client:
        same(type(await client.send_ping()).__name__, "EmptyResult")


@once("without the key nobody is let in")
async def refusal():
    async with create_mcp_http_client() as sender:
        transport = streamable_http_client(f"{URL}/mcp", http_client=sender)
        error = await refused(BaseExceptionGroup, Client(transport, mode="legacy").__aenter__())
        assert "error response" in repr(error), error
