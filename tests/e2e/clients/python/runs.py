"""client.runs but its streams: every method, and every parameter that reaches the wire."""

import asyncio
import json
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from uuid import uuid4

from checks import GIVEN, SAID, Awaited, both, proxy, refused, same, texts, through, until
from langgraph_sdk.errors import ConflictError, NotFoundError, UnprocessableEntityError

LONG = {"delay": 86_400_000}


async def thread(client, **options):
    return (await client.threads.create(**options))["thread_id"]


async def running(client, thread_id, **options):
    run = await client.runs.create(thread_id, "delay", input=LONG, **options)
    where = (run["thread_id"], run["run_id"])
    await until("the run runs", lambda: client.runs.get(*where), lambda one: one["status"] == "running")
    return run


async def status(client, run):
    return (await client.runs.get(run["thread_id"], run["run_id"]))["status"]


@both("create, get, join, list, delete")
async def lifecycle(client):
    thread_id = await thread(client)
    told = []
    run = await client.runs.create(
        thread_id, "agent", input=GIVEN, metadata={"a": 1}, config={"tags": ["t"]}, on_run_created=told.append
    )
    same(told, [{"run_id": run["run_id"], "thread_id": thread_id}])
    same((run["metadata"]["a"], run["multitask_strategy"]), (1, "enqueue"))
    same(texts(await client.runs.join(thread_id, run["run_id"])), SAID)
    same(await status(client, run), "success")
    other = await client.runs.create(thread_id, "error", input={})
    same((await client.runs.join(thread_id, other["run_id"]))["__error__"]["message"], "Boo!")

    async def found(**options):
        return [one["run_id"] for one in await client.runs.list(thread_id, **options)]

    same(await found(), [other["run_id"], run["run_id"]])
    same((await found(limit=1), await found(limit=1, offset=1)), ([other["run_id"]], [run["run_id"]]))
    same((await found(status="success"), await found(status="error")), ([run["run_id"]], [other["run_id"]]))
    [picked] = await client.runs.list(thread_id, limit=1, select=["run_id", "status"])
    same(picked, {"run_id": other["run_id"], "status": "error"})
    same(await client.runs.delete(thread_id, other["run_id"]), None)
    same(await found(), [run["run_id"]])


@both("wait: on a thread, without one, of a graph that fails")
async def wait(client):
    thread_id = await thread(client)
    told = []
    same(texts(await client.runs.wait(thread_id, "agent", input=GIVEN, on_run_created=told.append)), SAID)
    same(told[0]["thread_id"], thread_id)
    same((await client.runs.get(**told[0]))["status"], "success")
    stateless = []
    values = await client.runs.wait(None, "agent", input=GIVEN, on_run_created=stateless.append)
    same((texts(values), stateless[0]["thread_id"]), (SAID, None))
    if not isinstance(client, Awaited):
        # The sync client has no raise_error, and never raises.
        error = await refused(Exception, client.runs.wait(thread_id, "error", input={}))
        same(str(error), "CustomError: Boo!")
    failed = await client.runs.wait(None, "error", input={}, raise_error=False)
    same(failed["__error__"], {"error": "CustomError", "message": "Boo!"})


@both("join: comes back when its connection is cut")
async def join_cut(client):
    way = await proxy()
    thread_id = await thread(client)
    run = await client.runs.create(thread_id, "delay", input={"delay": 5000})
    joining = asyncio.create_task(through(way, client).runs.join(thread_id, run["run_id"]))
    # Before there are headers there is nowhere to come back to.
    await way.answered()
    await way.cut()
    await way.connected(2)
    same((await joining)["delay"], 5000)


@both("wait: on_disconnect")
async def wait_left(client):
    async def left(how):
        way = await proxy()
        thread_id = await thread(client)
        call = through(way, client).runs.wait(thread_id, "delay", input=LONG, on_disconnect=how)
        waiting = asyncio.create_task(call)
        [run] = await until("the run runs", lambda: client.runs.list(thread_id, status="running"))
        await way.answered()
        await way.cut()
        return run, waiting

    (kept, one), (gone, other) = await left("continue"), await left("cancel")
    await until("it is stopped", lambda: status(client, gone), lambda now: now == "interrupted")
    same(await status(client, kept), "running")
    await client.runs.cancel(kept["thread_id"], kept["run_id"], wait=True)
    # Up to 0.4.5 a wait that was cut fails; later ones come back to it, as a join does.
    await asyncio.gather(one, other, return_exceptions=True)


@both("config, context, headers and metadata reach the graph")
async def reach(client):
    values = await client.runs.wait(None, "delay", input={}, config={"configurable": {"delay": 7}})
    same(texts(values), ["finished after 7ms"])
    values = await client.runs.wait(None, "runtime", input={}, context={"model": "openai"})
    same(values["model"], "openai")
    values = await client.runs.wait(None, "echo", input={"text": "hey"}, headers={"x-colour": "blue"})
    same((values["text"], values["header"]), ("hey", "blue"))
    error = await client.runs.wait(
        None, "agent", input=GIVEN, config={"recursion_limit": 2}, raise_error=False
    )
    same(error["__error__"]["error"], "GraphRecursionError")
    thread_id = await thread(client)
    tracing = {"project_name": "mine", "example_id": str(uuid4())}
    await client.runs.wait(thread_id, "agent", input=GIVEN, metadata={"m": 1}, langsmith_tracing=tracing)
    [newest] = await client.threads.get_history(thread_id, limit=1)
    same(newest["metadata"]["m"], 1)


@both("interrupt_before and interrupt_after: names and all of them")
async def breakpoints(client):
    for options, said, then in (
        ({"interrupt_before": ["tool"]}, SAID[:2], ["tool"]),
        ({"interrupt_after": ["tool"]}, SAID[:3], ["agent"]),
        ({"interrupt_before": "*"}, SAID[:1], ["agent"]),
        ({"interrupt_after": "*"}, SAID[:2], ["tool"]),
    ):
        thread_id = await thread(client)
        same(await client.runs.wait(thread_id, "agent", input=GIVEN, **options), {"__interrupt__": []})
        state = await client.threads.get_state(thread_id)
        same(texts(state["values"]), said)
        same((state["next"], (await client.threads.get(thread_id))["status"]), (then, "interrupted"))
        same(texts(await client.runs.wait(thread_id, "agent", input=None)), SAID)


@both("command: resume, resume by id, goto, update")
async def command(client):
    thread_id = await thread(client)
    asked = await client.runs.wait(thread_id, "interrupting", input={"where": "both"})
    same([one["value"] for one in asked["__interrupt__"]], [{"question": "node?"}])
    asked = await client.runs.wait(thread_id, "interrupting", command={"resume": "yes"})
    same([one["value"] for one in asked["__interrupt__"]], [{"question": "subgraph?"}])
    values = await client.runs.wait(thread_id, "interrupting", command={"resume": "fine", "goto": None})
    same((values["answer"], values["review"]), ("yes", "fine"))

    thread_id = await thread(client)
    asked = (await client.runs.wait(thread_id, "questions", input={}))["__interrupt__"]
    resume = {one["id"]: one["value"].upper() for one in asked}
    values = await client.runs.wait(thread_id, "questions", command={"resume": resume})
    same(sorted(values["answers"]), ["colour? COLOUR?", "size? SIZE?"])

    thread_id = await thread(client)
    await client.runs.wait(thread_id, "route", input={})
    values = await client.runs.wait(thread_id, "route", command={"goto": "aside", "update": {"note": "n"}})
    same((values["visited"], values["note"]), (["start", "aside"], "n"))
    sent = {"goto": {"node": "aside", "input": {"from": "here"}}}
    values = await client.runs.wait(thread_id, "route", command=sent)
    same(values["visited"][-1], "aside from here")


@both("checkpoint and checkpoint_id: a branch from there")
async def branch(client):
    thread_id = await thread(client)
    await client.runs.wait(thread_id, "agent", input=GIVEN)
    history = await client.threads.get_history(thread_id)
    middle = history[2]["checkpoint"]
    same(texts(history[2]["values"]), SAID[:2])
    for where in ({"checkpoint": middle}, {"checkpoint_id": middle["checkpoint_id"]}):
        same(texts(await client.runs.wait(thread_id, "agent", **where)), SAID)
        children = [
            one
            for one in await client.threads.get_history(thread_id, limit=100)
            if (one["parent_checkpoint"] or {}).get("checkpoint_id") == middle["checkpoint_id"]
        ]
        assert len(children) >= 2, children
    nowhere = str(uuid4())
    call = client.runs.create(thread_id, "agent", checkpoint_id=nowhere)
    same((await refused(NotFoundError, call)).status_code, 404)


@both("durability and checkpoint_during: what is left of the way")
async def durability(client):
    for options, count in (
        ({"durability": "sync"}, 5),
        ({"durability": "async"}, 5),
        ({"durability": "exit"}, 1),
        ({"checkpoint_during": True}, 5),
        ({"checkpoint_during": False}, 1),
    ):
        thread_id = await thread(client)
        same(texts(await client.runs.wait(thread_id, "agent", input=GIVEN, **options)), SAID)
        same((options, len(await client.threads.get_history(thread_id))), (options, count))


@both("multitask_strategy: enqueue, reject, interrupt, rollback")
async def multitask(client):
    async def second(strategy):
        thread_id = await thread(client)
        first = await running(client, thread_id)
        run = await client.runs.create(thread_id, "agent", input=GIVEN, multitask_strategy=strategy)
        same(run["multitask_strategy"], strategy)
        return thread_id, first, run

    thread_id, first, run = await second("enqueue")
    same((await status(client, first), await status(client, run)), ("running", "pending"))
    error = await refused(
        ConflictError,
        client.runs.create(thread_id, "agent", input=GIVEN, multitask_strategy="reject"),
    )
    same(error.status_code, 409)
    await client.runs.cancel(thread_id, first["run_id"], wait=True)
    same(texts(await client.runs.join(thread_id, run["run_id"])), SAID)
    thread_id, first, run = await second("interrupt")
    same(texts(await client.runs.join(thread_id, run["run_id"])), SAID)
    same(await status(client, first), "interrupted")
    thread_id, first, run = await second("rollback")
    same(texts(await client.runs.join(thread_id, run["run_id"])), SAID)
    await refused(NotFoundError, client.runs.get(thread_id, first["run_id"]))


@both("cancel: at once, waited for, rolled back, too late")
async def cancel(client):
    thread_id = await thread(client, metadata={"graph_id": "delay"})
    run = await running(client, thread_id)
    same(await client.runs.cancel(thread_id, run["run_id"]), None)
    await until("it is stopped", lambda: status(client, run), lambda now: now == "interrupted")
    error = await refused(ConflictError, client.runs.cancel(thread_id, run["run_id"]))
    same(error.status_code, 409)
    run = await running(client, thread_id)
    same(await client.runs.cancel(thread_id, run["run_id"], wait=True), None)
    same(await status(client, run), "interrupted")
    before = len(await client.threads.get_history(thread_id))
    run = await running(client, thread_id, durability="sync")
    same(await client.runs.cancel(thread_id, run["run_id"], wait=True, action="rollback"), None)
    await refused(NotFoundError, client.runs.get(thread_id, run["run_id"]))
    same(len(await client.threads.get_history(thread_id)), before)


@both("cancel_many: some of a thread")
async def cancel_many(client):
    thread_id = await thread(client)
    first = await running(client, thread_id)
    queued = [await client.runs.create(thread_id, "delay", input=LONG) for _ in range(2)]
    ids = [first["run_id"], queued[0]["run_id"]]
    same(await client.runs.cancel_many(thread_id=thread_id, run_ids=ids), None)
    for run in (first, queued[0]):
        await until("it is stopped", lambda: status(client, run), lambda now: now == "interrupted")
    await until("the other runs", lambda: status(client, queued[1]), lambda now: now == "running")
    await client.runs.cancel_many(
        thread_id=thread_id, run_ids=[queued[1]["run_id"]], action="rollback"
    )
    await until("it is gone", lambda: client.runs.list(thread_id), lambda runs: len(runs) == 2)
    call = client.runs.cancel_many(thread_id=thread_id, run_ids=[str(uuid4())])
    same((await refused(NotFoundError, call)).status_code, 404)
    await refused(UnprocessableEntityError, client.runs.cancel_many(status="all", run_ids=ids))


@both("cancel_many: by status", alone=True)
async def cancel_status(client):
    thread_id = await thread(client)
    first = await running(client, thread_id)
    queued = await client.runs.create(thread_id, "delay", input=LONG)
    await client.runs.cancel_many(status="pending")
    await until("the queued one is stopped", lambda: status(client, queued), lambda now: now == "interrupted")
    same(await status(client, first), "running")
    await client.runs.cancel_many(status="running")
    await until("the other, too", lambda: status(client, first), lambda now: now == "interrupted")
    last = await running(client, thread_id)
    await client.runs.cancel_many(status="all", action="rollback")
    await until("it is gone", lambda: client.runs.list(thread_id), lambda runs: len(runs) == 2)
    await refused(NotFoundError, client.runs.get(thread_id, last["run_id"]))


@both("create_batch: each on a thread of its own; none where one is wrong")
async def batch(client):
    runs = await client.runs.create_batch(
        [
            {"assistant_id": "agent", "input": GIVEN, "metadata": {"n": 1}, "interrupt_after": ["tool"]},
            {"assistant_id": "delay", "input": {"delay": 1}, "thread_id": None, "webhook": None},
        ]
    )
    same((runs[0]["metadata"]["n"], len({run["thread_id"] for run in runs})), (1, 2))
    values = [await client.runs.join(run["thread_id"], run["run_id"]) for run in runs]
    same((values[0], texts(values[1])), ({"__interrupt__": []}, ["finished after 1ms"]))
    mark = str(uuid4())
    wrong = [{"assistant_id": "agent", "metadata": {"mark": mark}}, {"assistant_id": "nobody"}]
    same((await refused(NotFoundError, client.runs.create_batch(wrong))).status_code, 404)
    same(await client.threads.search(metadata={"mark": mark}), [])


@both("if_not_exists, on_completion, after_seconds")
async def threads_of_runs(client):
    thread_id = str(uuid4())
    for options in ({}, {"if_not_exists": "reject"}):
        call = client.runs.create(thread_id, "agent", input=GIVEN, **options)
        same((await refused(NotFoundError, call)).status_code, 404)
    values = await client.runs.wait(thread_id, "agent", input=GIVEN, if_not_exists="create")
    same((texts(values), (await client.threads.get(thread_id))["status"]), (SAID, "idle"))

    kept = await client.runs.create(None, "agent", input=GIVEN, on_completion="keep")
    gone = await client.runs.create(None, "agent", input=GIVEN, on_completion="delete")
    for run in (kept, gone):
        same(texts(await client.runs.join(run["thread_id"], run["run_id"])), SAID)
    same((await client.threads.get(kept["thread_id"]))["status"], "idle")
    await refused(NotFoundError, client.threads.get(gone["thread_id"]))

    later = await client.runs.create(thread_id, "agent", input=GIVEN, after_seconds=3600)
    began = time.monotonic()
    await client.runs.wait(await thread(client), "agent", input=GIVEN, after_seconds=1)
    assert 0.9 < time.monotonic() - began < 5, time.monotonic() - began
    same(await status(client, later), "pending")
    await client.runs.cancel(thread_id, later["run_id"], wait=True)


@both("webhook: told of the end")
async def webhook(client):
    told = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self):
            told.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Receiver)
    Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/"
    run = await client.runs.create(None, "agent", input=GIVEN, webhook=address)

    async def received():
        return list(told)

    [body] = await until("the webhook is told", received)
    server.shutdown()
    same((body["run_id"], body["status"], texts(body["values"])), (run["run_id"], "success", SAID))


@both("errors: what is not there, and what cannot be")
async def errors(client):
    thread_id, nobody = await thread(client), str(uuid4())
    for call in (
        client.runs.get(thread_id, nobody),
        client.runs.delete(thread_id, nobody),
        client.runs.cancel(thread_id, nobody),
        client.runs.create(thread_id, "no-such-assistant"),
        client.runs.create(None, nobody),
        client.runs.list(nobody),
    ):
        same((await refused(NotFoundError, call)).status_code, 404)
    for call in (
        client.runs.create(thread_id, "agent", multitask_strategy="maybe"),
        client.runs.create(thread_id, "agent", webhook=""),
        client.runs.create(thread_id, "agent", after_seconds=-1),
        client.runs.list(thread_id, status="odd"),
        client.runs.get(thread_id, "no id"),
    ):
        same((await refused(UnprocessableEntityError, call)).status_code, 422)
