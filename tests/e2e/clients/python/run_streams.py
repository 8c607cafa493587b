"""client.runs.stream and join_stream: modes, subgraphs, versions, disconnects, going on after a cut."""

from uuid import uuid4

from checks import GIVEN, SAID, both, collected, each, proxy, refused, same, texts, through, until
from langgraph_sdk.errors import ConflictError, NotFoundError, UnprocessableEntityError

LONG = {"delay": 86_400_000}


async def thread(client):
    return (await client.threads.create())["thread_id"]


def names(parts):
    return [part.event for part in parts]


async def status(client, thread_id, run_id):
    return (await client.runs.get(thread_id, run_id))["status"]


@both("each mode has its events and its form of data")
async def modes(client):
    async def data(mode, assistant="agent", given=GIVEN):
        parts = await collected(client.runs.stream(None, assistant, input=given, stream_mode=mode))
        same((names(parts)[0], "run_id" in parts[0].data), ("metadata", True))
        # `messages` has events of several names.
        assert all(part.event.split("/")[0] == mode.split("-")[0] for part in parts[1:]), names(parts)
        assert all(part.id for part in parts), parts
        return [part.data for part in parts[1:]]

    same([texts(values) for values in await data("values")], [SAID[: n + 1] for n in range(4)])
    same([list(update) for update in await data("updates")], [["agent"], ["tool"], ["agent"]])
    chunks = await data("messages-tuple", "chat", {"messages": [{"role": "human", "content": "words 5"}]})
    same("".join(message["content"] for message, _ in chunks), "w0 w1 w2 w3 w4")
    same({metadata["langgraph_node"] for _, metadata in chunks}, {"agent"})
    assert len(chunks) >= 5, chunks
    custom = await data("custom", "named")
    same(custom[:2], [{"progress": 1}, {"name": "steps", "payload": {"n": 1}}])
    tasks = await data("tasks")
    same([("result" in task, task["name"]) for task in tasks[:2]], [(False, "agent"), (True, "agent")])
    same([point["next"] for point in await data("checkpoints")][-1], [])
    kinds = {entry["type"] for entry in await data("debug")}
    same(kinds, {"task", "task_result", "checkpoint"})
    events = [entry["event"] for entry in await data("events")]
    same((events[0], events[-1]), ("on_chain_start", "on_chain_end"))


@both("messages: partial and complete ones, with their metadata first")
async def messages(client):
    given = {"messages": [{"role": "human", "content": "words 3"}]}
    parts = await collected(client.runs.stream(None, "chat", input=given, stream_mode=["messages"]))
    seen = names(parts)
    assert seen.index("messages/metadata") < seen.index("messages/partial"), seen
    same([part.data[0]["content"] for part in parts if part.event == "messages/partial"][-1], "w0 w1 w2")


@both("several modes at once, and subgraphs")
async def several(client):
    parts = await collected(
        client.runs.stream(None, "agent", input=GIVEN, stream_mode=["values", "updates", "messages-tuple"])
    )
    same(set(names(parts)), {"metadata", "values", "updates", "messages"})
    plain = await collected(client.runs.stream(None, "nested", input={}, stream_mode="updates"))
    same(set(names(plain)), {"metadata", "updates"})
    deep = await collected(
        client.runs.stream(None, "nested", input={}, stream_mode="updates", stream_subgraphs=True)
    )
    depths = {name.count("|") for name in names(deep)}
    same(depths, {0, 1, 2})
    inner = [part for part in deep if part.event.count("|") == 2]
    same([list(part.data) for part in inner], [["c_one"], ["c_two"]])
    assert inner[0].event.split("|")[1].startswith("gp_two:"), inner[0].event


@both("version v2: types, namespaces and interrupts")
async def version2(client):
    stream = client.runs.stream(None, "nested", input={}, stream_subgraphs=True, version="v2")
    parts = await collected(stream)
    same(parts[0]["type"], "metadata")
    same({(part["type"], len(part["ns"])) for part in parts[1:]}, {("values", n) for n in range(3)})
    same(parts[-1]["data"], await client.runs.wait(None, "nested", input={}))
    asking = {"input": {"where": "node"}, "stream_mode": ["values", "updates"], "version": "v2"}
    asked = await collected(client.runs.stream(await thread(client), "interrupting", **asking))
    [interrupt] = [part["interrupts"] for part in asked if part["interrupts"]]
    same(interrupt[0]["value"], {"question": "node?"})
    assert all("__interrupt__" not in part["data"] for part in asked if part["type"] == "values"), asked


@both("on_run_created, metadata, feedback_keys, a run of no thread that stays")
async def created(client):
    told = []
    parts = await collected(
        client.runs.stream(
            None,
            "agent",
            input=GIVEN,
            metadata={"mark": "m"},
            feedback_keys=["liked", "true"],
            on_completion="keep",
            on_run_created=told.append,
        )
    )
    run_id = parts[0].data["run_id"]
    same([(one["run_id"], one["thread_id"]) for one in told], [(run_id, None)])
    same((parts[-1].event, list(parts[-1].data)), ("feedback", ["liked", "true"]))
    thread_id = parts[-1].data["liked"].split("/threads/")[1].split("/")[0]
    same((await client.runs.get(thread_id, run_id))["metadata"]["mark"], "m")


@both("an error is an event; an interrupt is in values and in updates")
async def endings(client):
    parts = await collected(client.runs.stream(None, "error", input={}))
    same(parts[-1].event, "error")
    same((parts[-1].data["error"], parts[-1].data["message"]), ("CustomError", "Boo!"))
    thread_id = await thread(client)
    asking = {"input": {"where": "node"}, "stream_mode": ["values", "updates"]}
    parts = await collected(client.runs.stream(thread_id, "interrupting", **asking))
    asked = [part.data["__interrupt__"] for part in parts if "__interrupt__" in part.data]
    assert asked and all(one[0]["value"] == {"question": "node?"} for one in asked), parts
    resumed = await collected(client.runs.stream(thread_id, "interrupting", command={"resume": "yes"}))
    same(resumed[-1].data["answer"], "yes")


@both("options of a run: breakpoints, context, checkpoint, durability, threads, time")
async def options(client):
    thread_id = str(uuid4())

    async def last(assistant, **given):
        return (await collected(client.runs.stream(thread_id, assistant, **given)))[-1].data

    await refused(NotFoundError, collected(client.runs.stream(thread_id, "agent", input=GIVEN)))
    stopped = await last("agent", input=GIVEN, if_not_exists="create", interrupt_before=["tool"])
    # LangGraph's own word for a breakpoint.
    same(stopped, {"__interrupt__": []})
    same(await last("agent", interrupt_after="*"), {"__interrupt__": []})
    same(texts((await client.threads.get_state(thread_id))["values"]), SAID[:3])
    before = (await client.threads.get_state(thread_id))["checkpoint"]
    same(texts(await last("agent", durability="exit")), SAID)
    same(texts(await last("agent", checkpoint=before)), SAID)
    same(texts(await last("agent", checkpoint_id=before["checkpoint_id"], after_seconds=0)), SAID)
    same((await last("runtime", input={}, context={"model": "openai"}))["model"], "openai")
    config = {"configurable": {"delay": 3}}
    said = await last("delay", input={"messages": []}, config=config, headers={"x-a": "b"})
    same(texts(said)[-1], "finished after 3ms")
    same((await last("route", input={}, checkpoint_during=False))["visited"], ["start"])


@both("multitask_strategy: a stream on a busy thread")
async def multitask(client):
    thread_id = await thread(client)
    first = await client.runs.create(thread_id, "delay", input=LONG)
    rejected = client.runs.stream(thread_id, "agent", input=GIVEN, multitask_strategy="reject")
    same((await refused(ConflictError, collected(rejected))).status_code, 409)
    parts = await collected(
        client.runs.stream(thread_id, "agent", input=GIVEN, multitask_strategy="rollback")
    )
    same(texts(parts[-1].data), SAID)
    await refused(NotFoundError, client.runs.get(thread_id, first["run_id"]))


@both("on_disconnect: cancel stops the run, continue does not")
async def disconnect(client):
    async def left(**options):
        thread_id = await thread(client)
        stream = client.runs.stream(thread_id, "delay", input=LONG, **options)
        parts = each(stream)
        run_id = (await anext(parts)).data["run_id"]
        # The state says that the stream goes on, so that a reader who leaves is missed.
        await until("it runs", lambda: status(client, thread_id, run_id), lambda now: now == "running")
        await parts.aclose()
        return thread_id, run_id

    gone = await left(on_disconnect="cancel")
    await until("it is stopped", lambda: status(client, *gone), lambda now: now == "interrupted")
    for options in ({"on_disconnect": "continue"}, {}):
        kept = await left(**options)
        same(await status(client, *kept), "running")
        await client.runs.cancel(*kept, wait=True)


@both("join_stream: everything again, behind an event, some modes, an unknown run")
async def join(client):
    thread_id = await thread(client)
    run = await client.runs.create(
        thread_id, "agent", input=GIVEN, stream_mode=["values", "updates"], stream_resumable=True
    )
    where = (thread_id, run["run_id"])
    whole = await collected(client.runs.join_stream(*where, last_event_id="-1"))
    same((len(whole), set(names(whole))), (8, {"metadata", "values", "updates"}))
    same(await collected(client.runs.join_stream(*where, last_event_id="-1")), whole)
    rest = await collected(client.runs.join_stream(*where, last_event_id=whole[3].id))
    same(rest, whole[4:])
    some = await collected(client.runs.join_stream(*where, last_event_id="-1", stream_mode="updates"))
    same(some[1:], [part for part in whole if part.event == "updates"])
    both_modes = ["values", "updates"]
    same(await collected(client.runs.join_stream(*where, last_event_id="-1", stream_mode=both_modes)), whole)
    late = await collected(client.runs.join_stream(*where))
    same(texts(late[-1].data), SAID)
    unknown = client.runs.join_stream(thread_id, str(uuid4()))
    same((await refused(NotFoundError, collected(unknown))).status_code, 404)


@both("join_stream: cancel_on_disconnect")
async def join_disconnect(client):
    thread_id = await thread(client)

    async def left(cancel):
        run = await client.runs.create(thread_id, "delay", input=LONG, stream_mode="values")
        stream = client.runs.join_stream(
            thread_id, run["run_id"], cancel_on_disconnect=cancel, last_event_id="-1"
        )
        parts = each(stream)
        # Its first values are there as soon as it runs.
        while (await anext(parts)).event != "values":
            pass
        await parts.aclose()
        return thread_id, run["run_id"]

    kept = await left(False)
    same(await status(client, *kept), "running")
    await client.runs.cancel(*kept, wait=True)
    gone = await left(True)
    await until("it is stopped", lambda: status(client, *gone), lambda now: now == "interrupted")


@both("a stream that is cut again and again goes on behind its last event")
async def cut(client):
    way = await proxy()
    given = {"messages": [{"role": "human", "content": "words 60 pace 20"}]}
    thread_id = await thread(client)
    stream = through(way, client).runs.stream(
        thread_id, "chat", input=given, stream_mode=["messages-tuple", "values"], stream_resumable=True
    )
    parts = []
    cuts = 0
    async for part in each(stream):
        parts.append(part)
        # Only a connection that was made since the last cut can be cut.
        if cuts < 3 and len(parts) % 5 == 0 and await way.connections() > cuts:
            await way.cut()
            cuts += 1
    await way.connected(2)
    run_id = parts[0].data["run_id"]
    same(len(await client.runs.list(thread_id)), 1)
    whole = await collected(client.runs.join_stream(thread_id, run_id, last_event_id="-1"))
    same([part.id for part in parts], [part.id for part in whole])
    said = "".join(part.data[0]["content"] for part in parts if part.event == "messages")
    same(said, " ".join(f"w{n}" for n in range(60)))


@both("errors: before a stream begins")
async def errors(client):
    for error, options in (
        (NotFoundError, {"assistant_id": "no-such-assistant"}),
        (UnprocessableEntityError, {"assistant_id": "agent", "stream_mode": "loud"}),
        (UnprocessableEntityError, {"assistant_id": "agent", "on_disconnect": "cry"}),
        (UnprocessableEntityError, {"assistant_id": "agent", "feedback_keys": [1]}),
    ):
        await refused(error, collected(client.runs.stream(None, input=GIVEN, **options)))
