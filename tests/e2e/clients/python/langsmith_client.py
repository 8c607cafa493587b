"""The client of langsmith against the trace ingest; what it stored is read from /v1/traces."""

import asyncio
from datetime import datetime, timezone
from uuid import uuid4

from checks import KEY, URL, http, once, proxy, refused, same, until
from langsmith import Client, traceable, tracing_context, uuid7
from langsmith.run_trees import RunTree
from langsmith.schemas import LangSmithInfo
from langsmith.utils import LangSmithAuthError, LangSmithConflictError, LangSmithNotFoundError

SIZES = {"scale_up_qsize_trigger": 1000, "scale_up_nthreads_limit": 2, "scale_down_nempty_trigger": 4}


# What a client sends depends on what it is told of the server; without `info` it asks.
def client(info=None, url=URL, key=KEY, **options):
    if info is not None:
        config = {**SIZES, "size_limit": 100, "size_limit_bytes": 1_000_000, **info}
        options["info"] = LangSmithInfo(batch_ingest_config=config, instance_flags={})
    return Client(api_url=f"{url}/langsmith", api_key=key, **options)


async def asked(path, **params):
    return (await http().get(path, params=params)).raise_for_status().json()


async def traces(project):
    for session in (await asked("/v1/sessions", name=project))["resources"]:
        return (await asked("/v1/traces", session_id=session["id"]))["resources"]
    return []


async def whole(project):
    """The only trace of a project, with its spans by their names."""
    [trace] = await until("the trace", lambda: traces(project))
    trace = await asked(f"/v1/traces/{trace['id']}")
    return trace, {span["name"]: span for span in trace["spans"]}


def told(project, **options):
    return tracing_context(enabled=True, project_name=project, **options)


def nested():
    """A call in a call in a call, of which one fails."""

    @traceable(run_type="tool", name="look up", tags=["inner"])
    def look_up(word):
        if word == "none":
            raise ValueError("no such word")
        return word.upper()

    @traceable(run_type="chain", name="steps")
    def steps(word):
        try:
            look_up("none")
        except ValueError:
            return look_up(word)

    @traceable(name="program", metadata={"thread_id": "t1", "colour": "blue"}, tags=["outer"])
    def program(word):
        return steps(word)

    return program


async def traced(langsmith):
    project = f"python-{uuid4()}"
    with told(project, client=langsmith):
        same(await asyncio.to_thread(nested(), "hey"), "HEY")
    await asyncio.to_thread(langsmith.flush)
    trace, _ = await whole(project)
    same((trace["name"], trace["status"], trace["thread_id"]), ("program", "success", "t1"))
    assert trace["metadata"]["colour"] == "blue" and "outer" in trace["tags"], trace
    by_id = {span["id"]: span for span in trace["spans"]}
    above = [(span["name"], by_id.get(span["parent_id"], {}).get("name")) for span in trace["spans"]]
    wanted = [("program", None), ("steps", "program"), ("look up", "steps"), ("look up", "steps")]
    same(sorted(above, key=str), sorted(wanted, key=str))
    [failed] = [span for span in trace["spans"] if span["status"] == "error"]
    same((failed["name"], failed["run_type"], failed["tags"]), ("look up", "tool", ["outer", "inner"]))
    same(failed["error"], {"type": "ValueError", "message": "no such word"})
    done = next(span for span in trace["spans"] if span["name"] == "steps")
    same((done["inputs"], done["outputs"]), ({"word": "hey"}, {"output": "HEY"}))


@once("traceable: nested calls, in parts that are packed with zstd")
async def compressed():
    langsmith = client()

    async def packer():
        return langsmith.compressed_traces

    # It packs once it has asked the server whether it may.
    await until("the client packs", packer)
    await traced(langsmith)


@once("traceable: nested calls, in plain parts")
async def parts():
    await traced(client(info={"use_multipart_endpoint": True}))


@once("traceable: nested calls, in batches")
async def batches():
    await traced(client(info={"use_multipart_endpoint": False}))


@once("traceable: nested calls, one by one")
async def singly():
    await traced(client(auto_batch_tracing=False))


@once("traceable: async calls side by side, and a generator")
async def side_by_side():
    project = f"python-{uuid4()}"
    langsmith = client()

    @traceable(name="child")
    async def child(n):
        await asyncio.sleep(0.01)
        return n

    @traceable(name="tokens", run_type="llm", reduce_fn=lambda said: {"text": "".join(said)})
    async def tokens():
        for token in ("a", "b"):
            yield token

    @traceable(name="parent")
    async def parent():
        said = [token async for token in tokens()]
        return said, await asyncio.gather(*(child(n) for n in range(10)))

    with told(project, client=langsmith):
        same(await parent(), (["a", "b"], list(range(10))))
    await asyncio.to_thread(langsmith.flush)
    trace, spans = await whole(project)
    same((trace["span_count"], spans["tokens"]["run_type"]), (12, "llm"))
    same(spans["tokens"]["outputs"], {"text": "ab"})


@once("create_run, update_run, batch_ingest_runs, multipart_ingest: a run and its news, also twice")
async def by_hand():
    project, run_id = f"python-{uuid4()}", uuid7()
    langsmith = client(auto_batch_tracing=False)
    began = datetime.now(timezone.utc)
    run = {"id": run_id, "trace_id": run_id, "name": "by hand", "run_type": "chain", "start_time": began}
    order = began.strftime("%Y%m%dT%H%M%S%fZ") + str(run_id)
    run |= {"dotted_order": order, "inputs": {"a": 1}, "session_name": project}
    create = {key: value for key, value in run.items() if key != "session_name"}
    await asyncio.to_thread(langsmith.create_run, project_name=project, **create)
    trace, _ = await whole(project)
    same((trace["id"], trace["status"]), (str(run_id), "pending"))
    news = {"end_time": datetime.now(timezone.utc), "outputs": {"b": 2}, "trace_id": run_id}
    news |= {"dotted_order": order}
    await asyncio.to_thread(langsmith.update_run, run_id, **news)
    trace, spans = await whole(project)
    same((trace["status"], spans["by hand"]["outputs"]), ("success", {"b": 2}))
    for ingest in (langsmith.batch_ingest_runs, langsmith.multipart_ingest):
        await asyncio.to_thread(ingest, create=[run], update=[{"id": run_id, **news}])
        same(await whole(project), (trace, spans))


@once("feedback: on a run, and on one of its spans")
async def feedback():
    project = f"python-{uuid4()}"
    langsmith = client()
    tree = RunTree(name="judged", inputs={}, project_name=project, ls_client=langsmith)
    child = tree.create_child(name="inner", inputs={})
    for run in (child, tree):
        run.end(outputs={"ok": True})
    tree.post()
    child.post()
    await asyncio.to_thread(langsmith.flush)
    await whole(project)
    given = {"trace_id": tree.trace_id, "session_id": uuid4()}
    await asyncio.to_thread(langsmith.create_feedback, tree.id, "liked", score=1, comment="good", **given)
    await asyncio.to_thread(langsmith.create_feedback, child.id, "length", score=0.5, value="short", **given)
    # Without the trace's id it is a request of its own.
    given = {"session_id": uuid4()}
    await asyncio.to_thread(langsmith.create_feedback, tree.id, "direct", score=True, **given)
    await asyncio.to_thread(langsmith.flush)

    async def found():
        return {one["key"]: one for one in (await whole(project))[0]["feedback"]}

    keys = await until("the feedback", found, lambda keys: len(keys) == 3)
    same((keys["liked"]["score"], keys["liked"]["comment"]), (1, "good"))
    same((keys["length"]["score"], keys["length"]["value"]), (0.5, "short"))
    same(keys["direct"]["score"], 1)


@once("read_run, list_runs, list_feedback, get_run_url: what was sent is read back")
async def read_back():
    project = f"python-{uuid4()}"
    langsmith = client(web_url=URL)
    with told(project, client=langsmith):
        await asyncio.to_thread(nested(), "hey")
    await asyncio.to_thread(langsmith.flush)
    trace, _ = await whole(project)

    async def runs(**wanted):
        return await asyncio.to_thread(lambda: list(langsmith.list_runs(project_name=project, **wanted)))

    [root] = await runs(is_root=True)
    same((str(root.id), root.name, root.status, root.inputs), (trace["id"], "program", "success", {"word": "hey"}))
    same(sorted(run.name for run in await runs()), ["look up", "look up", "program", "steps"])
    same(len(await runs(limit=2)), 2)
    [failed] = await runs(error=True)
    assert failed.error.startswith("ValueError: no such word"), failed.error
    same([run.id for run in await runs(filter='and(eq(run_type, "tool"), neq(error, null))')], [failed.id])
    same(len(await runs(trace_id=root.id, run_type="tool")), 2)
    read = await asyncio.to_thread(langsmith.read_run, root.id, load_child_runs=True)
    same([run.name for run in read.child_runs], ["steps"])
    same([run.name for run in read.child_runs[0].child_runs], ["look up", "look up"])
    await asyncio.to_thread(
        langsmith.create_feedback, root.id, "liked", score=1, session_id=uuid4(), trace_id=root.id
    )
    await asyncio.to_thread(langsmith.flush)

    async def judged():
        return await asyncio.to_thread(lambda: list(langsmith.list_feedback(run_ids=[root.id])))

    [liked] = await until("the feedback", judged)
    same((liked.key, liked.score, liked.run_id), ("liked", 1, root.id))
    url = await asyncio.to_thread(lambda: langsmith.get_run_url(run=root))
    moved = await http().get(url.removeprefix(URL).removesuffix("?poll=true"), follow_redirects=False)
    same(moved.status_code, 302)
    assert moved.headers["location"].endswith(f"/console/traces/{root.id}"), moved.headers
    same(root.url.removeprefix(URL), url.removeprefix(URL).removesuffix("?poll=true"))
    await refused(LangSmithNotFoundError, asyncio.to_thread(langsmith.read_run, uuid4()))


@once("projects: made, found, made again")
async def projects():
    name = f"python-{uuid4()}"
    langsmith = client()

    async def call(method, *args, **kwargs):
        return await asyncio.to_thread(method, *args, **kwargs)

    same(await call(langsmith.has_project, name), False)
    await refused(LangSmithNotFoundError, call(langsmith.read_project, project_name=name))
    made = await call(langsmith.create_project, name)
    same((made.name, (await call(langsmith.read_project, project_name=name)).id), (name, made.id))
    same((await call(langsmith.read_project, project_id=str(made.id))).name, name)
    await refused(LangSmithConflictError, call(langsmith.create_project, name))
    same((await call(langsmith.create_project, name, upsert=True)).id, made.id)
    found = await call(lambda: list(langsmith.list_projects(name_contains=name[7:])))
    same([one.id for one in found], [made.id])


@once("attachments and inputs that are large: what is kept, and what is said of the rest")
async def large():
    project = f"python-{uuid4()}"
    langsmith = client()
    tree = RunTree(
        name="large",
        inputs={"text": "x" * 200_000},
        project_name=project,
        ls_client=langsmith,
        attachments={"picture": ("image/png", b"\x89PNG" * 100)},
    )
    tree.end(outputs={"ok": True})
    tree.post()
    await asyncio.to_thread(langsmith.flush)
    trace, spans = await whole(project)
    same(trace["status"], "success")
    same(spans["large"]["metadata"]["dropped_attachments"], ["picture"])
    assert len(str(spans["large"]["inputs"])) < 40_000, len(str(spans["large"]["inputs"]))


@once("without the key nothing comes in")
async def refusal():
    wrong = client(key="another")
    await refused(LangSmithAuthError, asyncio.to_thread(wrong.read_project, project_name="any"))


@once("a connection that is cut: the traces come nevertheless, once")
async def cut():
    way = await proxy()
    project = f"python-{uuid4()}"
    langsmith = client(url=way.url)
    with told(project, client=langsmith):
        await asyncio.to_thread(nested(), "hey")
    await way.cut()
    await asyncio.to_thread(langsmith.flush)
    trace, _ = await whole(project)
    same((trace["span_count"], len(await traces(project))), (4, 1))
