"""client.threads: every method but stream, and every parameter that reaches the wire."""

import asyncio
from uuid import uuid4

from checks import GIVEN, SAID, both, collected, each, refused, same, texts
from langgraph_sdk.errors import ConflictError, NotFoundError, UnprocessableEntityError


async def thread(client, **options):
    return (await client.threads.create(**options))["thread_id"]


@both("create: id, metadata, graph, if_exists")
async def create(client):
    thread_id = str(uuid4())
    made = await client.threads.create(thread_id=thread_id, metadata={"a": 1}, graph_id="agent")
    same((made["thread_id"], made["status"]), (thread_id, "idle"))
    same(made["metadata"], {"a": 1, "graph_id": "agent"})
    again = await client.threads.create(thread_id=thread_id, metadata={"b": 1}, if_exists="do_nothing")
    same(again, made)
    for options in ({}, {"if_exists": "raise"}):
        error = await refused(ConflictError, client.threads.create(thread_id=thread_id, **options))
        same(error.message, "Thread already exists")
    same((await client.threads.get(thread_id))["metadata"], made["metadata"])


@both("create: ttl as a number and as an object, include, update of it")
async def ttl(client):
    async def shown(thread_id):
        found = (await client.threads.get(thread_id, include=["ttl"]))["ttl"]
        return found and (found["strategy"], found["ttl_minutes"])

    thread_id = await thread(client, ttl=60)
    same(await shown(thread_id), ("delete", 60))
    assert "ttl" not in await client.threads.get(thread_id)
    await client.threads.update(thread_id, metadata={}, ttl={"ttl": 90, "strategy": "keep_latest"})
    same(await shown(thread_id), ("keep_latest", 90))
    await client.threads.update(thread_id, metadata={}, ttl=5)
    same(await shown(thread_id), ("delete", 5))
    kept = await thread(client, ttl={"ttl": 1.5, "strategy": "keep_latest"})
    same(await shown(kept), ("keep_latest", 1.5))
    same((await client.threads.get(kept, params={"include": "ttl"}))["ttl"]["ttl_minutes"], 1.5)
    same(await shown(await thread(client)), None)
    error = await refused(UnprocessableEntityError, client.threads.create(ttl=-1))
    assert "ttl" in str(error.body), error.body


@both("create: a state from supersteps")
async def supersteps(client):
    def step(as_node, **message):
        return {"updates": [{"values": {"messages": [message]}, "as_node": as_node}]}

    asked = {"role": "human", "content": "hello"}
    steps = [
        step("__input__", **asked),
        step("__start__", **asked),
        step("agent", role="ai", content="hi"),
    ]
    thread_id = await thread(client, graph_id="agent", supersteps=steps)
    state = await client.threads.get_state(thread_id)
    same((texts(state["values"]), state["next"]), (["hello", "hi"], ["tool"]))
    same(len(await client.threads.get_history(thread_id)), 3)


@both("update: metadata is merged; return_minimal answers nothing")
async def update(client):
    thread_id = await thread(client, metadata={"a": 1})
    changed = await client.threads.update(thread_id, metadata={"b": 2})
    same(changed["metadata"], {"a": 1, "b": 2})
    same(await client.threads.update(thread_id, metadata={"a": 3}, return_minimal=True), None)
    same((await client.threads.get(thread_id))["metadata"], {"a": 3, "b": 2})


@both("search and count: filters, pages, order, select, extract")
async def search(client):
    mark = str(uuid4())
    ids = []
    for n in range(3):
        ids.append(await thread(client, metadata={"mark": mark, "n": n}))
        await asyncio.sleep(0.002)
    await client.runs.wait(ids[0], "agent", input=GIVEN)
    await client.runs.wait(ids[1], "interrupting", input={"where": "node"})

    async def found(**options):
        listed = await client.threads.search(**{"metadata": {"mark": mark}, **options})
        return [ids.index(one["thread_id"]) for one in listed]

    async def count(**options):
        return await client.threads.count(**{"metadata": {"mark": mark}, **options})

    # Newest update first.
    same((await found(), await count()), ([1, 0, 2], 3))
    same((await found(status="interrupted"), await count(status="interrupted")), ([1], 1))
    same(set(await found(status="idle")), {0, 2})
    same((await found(values={"where": "node"}), await count(values={"where": "node"})), ([1], 1))
    same(await found(metadata={"mark": mark, "n": 2}), [2])
    same(set(await found(metadata=None, ids=ids[1:])), {1, 2})
    same(await found(sort_by="created_at", sort_order="asc"), [0, 1, 2])
    same(await found(sort_by="created_at", sort_order="desc", limit=1, offset=1), [1])
    same(await found(sort_by="thread_id", sort_order="asc"), sorted(range(3), key=lambda n: ids[n]))
    same((await found(sort_by="status", sort_order="asc"))[-1], 1)
    same((await found(sort_by="updated_at", sort_order="desc"))[0], 1)
    same((await found(sort_by="state_updated_at", sort_order="desc"))[0], 1)
    [picked] = await client.threads.search(ids=[ids[0]], select=["thread_id", "values"])
    same((set(picked), texts(picked["values"])), ({"thread_id", "values"}, SAID))
    [taken] = await client.threads.search(
        ids=[ids[0]],
        select=["thread_id"],
        extract={"last": "values.messages[-1].content", "mark": "metadata.mark", "none": "values.nowhere"},
    )
    same(taken, {"thread_id": ids[0], "extracted": {"last": "end", "mark": mark, "none": None}})
    [asked] = await client.threads.search(ids=[ids[1]], select=["interrupts"])
    [[question]] = asked["interrupts"].values()
    same(question["value"], {"question": "node?"})


@both("get_state: newest, by checkpoint_id, by checkpoint, with subgraphs")
async def get_state(client):
    thread_id = await thread(client)
    await client.runs.wait(thread_id, "agent", input=GIVEN)
    now = await client.threads.get_state(thread_id)
    same((texts(now["values"]), now["next"], now["tasks"]), (SAID, [], []))
    checkpoint_id = now["checkpoint"]["checkpoint_id"]
    same(await client.threads.get_state(thread_id, checkpoint_id=checkpoint_id), now)
    same(await client.threads.get_state(thread_id, checkpoint=now["checkpoint"]), now)
    before = await client.threads.get_state(thread_id, now["parent_checkpoint"])
    same((texts(before["values"]), before["next"]), (SAID[:-1], ["agent"]))

    asking = await thread(client)
    await client.runs.wait(asking, "interrupting", input={"where": "subgraph"})
    plain = await client.threads.get_state(asking)
    same((plain["next"], plain["tasks"][0]["state"]), (["inspection"], None))
    whole = await client.threads.get_state(asking, subgraphs=True)
    inner = whole["tasks"][0]["state"]
    same((inner["next"], inner["values"]["where"]), (["inspect"], "subgraph"))
    same(inner["tasks"][0]["interrupts"][0]["value"], {"question": "subgraph?"})
    again = await client.threads.get_state(asking, checkpoint=whole["checkpoint"], subgraphs=True)
    same(again["tasks"][0]["state"], inner)
    by_id = await client.threads.get_state(
        asking, checkpoint_id=whole["checkpoint"]["checkpoint_id"], subgraphs=True
    )
    same(by_id["tasks"][0]["state"], inner)


@both("update_state: as a node, from a checkpoint, in a list, nothing")
async def update_state(client):
    def said(text):
        return {"messages": [{"role": "human", "content": text}]}

    thread_id = await thread(client)
    await client.runs.wait(thread_id, "agent", input=GIVEN)
    end = await client.threads.get_state(thread_id)
    written = await client.threads.update_state(thread_id, said("more"))
    now = await client.threads.get_state(thread_id)
    same(texts(now["values"]), [*SAID, "more"])
    same(written["checkpoint"]["checkpoint_id"], now["checkpoint"]["checkpoint_id"])
    await client.threads.update_state(thread_id, said("as a tool"), as_node="tool")
    same((await client.threads.get_state(thread_id))["next"], ["agent"])
    for where in ({"checkpoint": end["checkpoint"]}, {"checkpoint_id": end["checkpoint"]["checkpoint_id"]}):
        branch = await client.threads.update_state(thread_id, said("branch"), **where)
        at = await client.threads.get_state(thread_id, checkpoint_id=branch["checkpoint"]["checkpoint_id"])
        same(texts(at["values"]), [*SAID, "branch"])
        same(at["parent_checkpoint"]["checkpoint_id"], end["checkpoint"]["checkpoint_id"])
    await client.threads.update_state(thread_id, None, as_node="agent")
    same(texts((await client.threads.get_state(thread_id))["values"])[-1], "branch")


@both("get_history: limit, before, metadata, checkpoint")
async def history(client):
    thread_id = await thread(client)
    await client.runs.wait(thread_id, "agent", input=GIVEN, metadata={"turn": 1})
    await client.runs.wait(thread_id, "agent", input=GIVEN, metadata={"turn": 2})

    async def ids(**options):
        listed = await client.threads.get_history(thread_id, **options)
        return [one["checkpoint"]["checkpoint_id"] for one in listed]

    everything = await client.threads.get_history(thread_id, limit=100)
    order = [one["checkpoint"]["checkpoint_id"] for one in everything]
    same((len(order), await ids()), (10, order))
    same(await ids(limit=2), order[:2])
    same(await ids(before=order[2], limit=3), order[3:6])
    same(await ids(before=everything[2]["checkpoint"], limit=3), order[3:6])
    same(await ids(checkpoint=everything[4]["checkpoint"], limit=1), order[4:5])
    same(await ids(metadata={"turn": 1}), order[5:])
    same(await ids(metadata={"source": "input"}), [order[4], order[9]])


@both("copy: the state without the runs")
async def copy(client):
    thread_id = await thread(client)
    await client.runs.wait(thread_id, "agent", input=GIVEN)
    copied = (await client.threads.copy(thread_id))["thread_id"]
    assert copied != thread_id
    same(texts((await client.threads.get_state(copied))["values"]), SAID)
    same(await client.runs.list(copied), [])
    same(len(await client.threads.get_history(copied)), 5)
    await client.threads.update_state(copied, GIVEN)
    same(texts((await client.threads.get_state(thread_id))["values"]), SAID)


@both("prune: all of it, or the history")
async def prune(client):
    kept, gone = await thread(client), await thread(client)
    for thread_id in (kept, gone):
        await client.runs.wait(thread_id, "agent", input=GIVEN)
    same(await client.threads.prune([kept], strategy="keep_latest"), {"pruned_count": 1})
    same(len(await client.threads.get_history(kept)), 1)
    same(texts((await client.threads.get_state(kept))["values"]), SAID)
    same(await client.threads.prune([gone, str(uuid4())]), {"pruned_count": 1})
    await refused(NotFoundError, client.threads.get(gone))


@both("join_stream: the runs of a thread, their ends, their states, and going on behind an event")
async def join_stream(client):
    thread_id = await thread(client)
    run_ids = []
    for _ in range(2):
        run = await client.runs.create(
            thread_id, "agent", input=GIVEN, stream_mode=["updates"], stream_resumable=True
        )
        run_ids.append(run["run_id"])
        await client.runs.join(thread_id, run["run_id"])

    async def first(done, **options):
        """The events up to the one that many runs are done with."""
        seen = []
        async for part in each(client.threads.join_stream(thread_id, **options)):
            seen.append(part)
            if len([one for one in seen if one.event in done]) == 2:
                return seen

    everything = await first({"run_done"}, last_event_id="-")
    one_run = ["metadata", "updates", "updates", "updates", "run_done"]
    same([one.event for one in everything], one_run * 2)
    ends = [one.data for one in everything if one.event == "run_done"]
    same(ends, [{"run_id": run_id, "status": "success"} for run_id in run_ids])
    ids = [one.id for one in everything]
    same(len(set(ids)), len(ids))
    behind = []
    async for part in each(
        client.threads.join_stream(thread_id, last_event_id=ids[6], stream_mode=["run_modes"])
    ):
        behind.append(part.id)
        if part.event == "run_done":
            break
    same(behind, ids[7:])
    ended = await first({"lifecycle"}, last_event_id="-", stream_mode="lifecycle")
    same({one.event for one in ended}, {"lifecycle"})
    states = await first({"state_update"}, last_event_id="-", stream_mode=["state_update"])
    assert "end" in str(states[-1].data), states[-1]


@both("join_stream: what comes from now on")
async def join_stream_live(client):
    thread_id = await thread(client)
    seen = []

    async def read():
        async for part in each(client.threads.join_stream(thread_id)):
            seen.append(part.event)
            # The stream may have been opened in the middle of the first run that it tells of.
            if seen.count("run_done") == 2:
                return

    reading = asyncio.create_task(read())
    # Nothing tells when the stream is open, so there are runs until it has been.
    while not reading.done():
        await collected(client.runs.stream(thread_id, "agent", input=GIVEN, stream_mode="updates"))
    await reading
    same(seen[-5:], ["metadata", "updates", "updates", "updates", "run_done"])


@both("errors: what is not there, and what is no id")
async def errors(client):
    nobody = str(uuid4())
    for call in (
        client.threads.get(nobody),
        client.threads.update(nobody, metadata={}),
        client.threads.get_state(nobody),
        client.threads.get_history(nobody),
        client.threads.update_state(nobody, {}),
        client.threads.delete(nobody),
    ):
        same((await refused(NotFoundError, call)).message, f"Thread with ID {nobody} not found")
    same((await refused(ConflictError, client.threads.copy(nobody))).status_code, 409)
    same((await refused(UnprocessableEntityError, client.threads.get("no id"))).status_code, 422)
    gone = await thread(client)
    same(await client.threads.delete(gone), None)
    await refused(NotFoundError, client.threads.get(gone))
