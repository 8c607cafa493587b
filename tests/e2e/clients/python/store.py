"""client.store: every method, and every parameter that reaches the wire."""

import asyncio
from uuid import uuid4

from checks import both, refused, same, until
from langgraph_sdk.errors import BadRequestError, UnprocessableEntityError

COLOURS = {
    "sky": {"text": "the blue sky over the sea", "n": 1, "tags": {"hue": "cold"}},
    "rose": {"text": "a red rose in the garden", "n": 2, "tags": {"hue": "warm"}},
    "grass": {"text": "green grass on the hill", "n": 3, "tags": {"hue": "cold"}},
}


async def filled(client):
    space = [str(uuid4()), "colours"]
    for key, value in COLOURS.items():
        await client.store.put_item(space, key=key, value=value)
    return space


@both("put_item, get_item, delete_item")
async def items(client):
    space = [str(uuid4()), "people"]
    same(await client.store.get_item(space, key="ada"), None)
    same(await client.store.put_item(space, key="ada", value={"likes": "tea", "n": [1, None]}), None)
    item = await client.store.get_item(space, key="ada")
    same((item["namespace"], item["key"]), (space, "ada"))
    same(item["value"], {"likes": "tea", "n": [1, None]})
    await client.store.put_item(space, "ada", {"likes": "coffee"})
    again = await client.store.get_item(space, "ada")
    same((again["value"], again["created_at"]), ({"likes": "coffee"}, item["created_at"]))
    same(await client.store.delete_item(space, key="ada"), None)
    same(await client.store.get_item(space, key="ada"), None)
    # What is not there can be deleted.
    await client.store.delete_item(space, key="ada")


@both("search_items: filters with every operator")
async def filters(client):
    space = await filled(client)

    async def found(**filter):
        listed = await client.store.search_items(space, filter=filter)
        return sorted(one["key"] for one in listed["items"])

    for filter, keys in (
        ({"n": 2}, ["rose"]),
        ({"n": {"$eq": 2}}, ["rose"]),
        ({"n": {"$ne": 2}}, ["grass", "sky"]),
        ({"n": {"$gt": 2}}, ["grass"]),
        ({"n": {"$gte": 2}}, ["grass", "rose"]),
        ({"n": {"$lt": 2}}, ["sky"]),
        ({"n": {"$lte": 2}}, ["rose", "sky"]),
        ({"n": {"$gt": 1, "$lt": 3}}, ["rose"]),
        ({"n": {"$in": [1, 3]}}, ["grass", "sky"]),
        ({"n": {"$nin": [1, 3]}}, ["rose"]),
        ({"tags": {"hue": "cold"}}, ["grass", "sky"]),
        ({"tags": {"hue": {"$ne": "cold"}}, "n": 2}, ["rose"]),
        ({"nothing": 1}, []),
    ):
        same((filter, await found(**filter)), (filter, keys))


@both("search_items: pages, prefixes of whole labels")
async def pages(client):
    space = await filled(client)

    async def found(prefix, **options):
        return [one["key"] for one in (await client.store.search_items(prefix, **options))["items"]]

    everything = await found(space)
    same(sorted(everything), sorted(COLOURS))
    same(await found(space[:1]), everything)
    same(await found(space, limit=2), everything[:2])
    same(await found(space, limit=2, offset=2), everything[2:])
    same(await found([space[0][:8]]), [])


@both("search_items: by meaning, but for what index leaves out")
async def meaning(client):
    space = await filled(client)
    await client.store.put_item(space, key="hidden", value={"text": "red rose"}, index=False)
    await client.store.put_item(space, key="other", value={"text": "?", "more": "a red rose"}, index=["more"])

    async def scored(query):
        listed = (await client.store.search_items(space, query=query, limit=10))["items"]
        return [(one["key"], one["score"]) for one in listed]

    found = await scored("red rose")
    same({key for key, _ in found[:2]}, {"rose", "other"})
    same(found[-1], ("hidden", None))
    scores = [score for _, score in found[:-1]]
    same(scores, sorted(scores, reverse=True))
    same((await scored("blue sky"))[0][0], "sky")


@both("ttl: over when it is over; reading begins it anew unless it is told not to")
async def ttl(client):
    space = [str(uuid4())]
    # Minutes: 4.8 s, within which each request has to come back.
    for key in ("left", "read", "looked", "searched"):
        await client.store.put_item(space, key=key, value={"own": key}, ttl=0.08)
    await client.store.put_item(space, key="stays", value={})

    async def reading():
        await asyncio.sleep(0.1)
        await client.store.get_item(space, key="read", refresh_ttl=True)
        await client.store.get_item(space, key="looked", refresh_ttl=False)
        await client.store.search_items(space, filter={"own": "searched"}, refresh_ttl=True)
        listed = await client.store.search_items(space, refresh_ttl=False)
        return {one["key"] for one in listed["items"]}

    keys = await until("what nobody reads is over", reading, lambda keys: not keys & {"left", "looked"})
    same(keys, {"read", "searched", "stays"})


@both("list_namespaces: prefix, suffix, depth, pages")
async def namespaces(client):
    root = str(uuid4())
    spaces = [[root, "a", "x"], [root, "a", "y"], [root, "b", "x", "deep"]]
    for space in spaces:
        await client.store.put_item(space, key="k", value={})

    async def found(**options):
        return (await client.store.list_namespaces(**{"prefix": [root], **options}))["namespaces"]

    same(await found(), spaces)
    same(await found(prefix=[root, "a"]), spaces[:2])
    same(await found(prefix=[root, "*", "x"]), [spaces[0], spaces[2]])
    same(await found(suffix=["x"]), spaces[:1])
    same(await found(max_depth=2), [[root, "a"], [root, "b"]])
    same(await found(limit=1, offset=1), spaces[1:2])


@both("a namespace of the graph is that of the client")
async def shared(client):
    name = str(uuid4())
    run = await client.runs.create(None, "waiting", input={"name": name})
    item = None
    while item is None:
        item = await client.store.get_item(["slow"], key=name)
    same(item["value"], {"state": "waiting"})
    await client.runs.cancel(run["thread_id"], run["run_id"], wait=True)
    same((await client.store.get_item(["slow"], key=name))["value"], {"state": "stopped"})


@both("errors: what is no namespace, no ttl, no filter")
async def errors(client):
    await refused(BadRequestError, client.store.put_item([], key="k", value={}))
    # The client does not send these.
    await refused(ValueError, client.store.put_item(["a.b"], key="k", value={}))
    await refused(ValueError, client.store.get_item(["a.b"], key="k"))
    for call in (
        client.store.put_item(["a"], key="k", value={}, ttl=0),
        client.store.put_item(["a"], key="k", value="text"),
        client.store.search_items(["a"], limit=-1),
    ):
        same((await refused(UnprocessableEntityError, call)).status_code, 422)
