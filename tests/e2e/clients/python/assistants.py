"""client.assistants: every method, and every parameter that reaches the wire."""

import asyncio
from uuid import uuid4

from checks import GIVEN, SAID, both, refused, same, texts
from langgraph_sdk.errors import ConflictError, NotFoundError, UnprocessableEntityError


@both("create: everything that can be said of one is there")
async def create(client):
    given = {
        "config": {"recursion_limit": 20, "tags": ["a"], "configurable": {"colour": "blue"}},
        "metadata": {"mark": str(uuid4())},
        "name": "painter",
        "description": "Paints",
    }
    assistant_id = str(uuid4())
    made = await client.assistants.create("agent", assistant_id=assistant_id, **given)
    same({key: made[key] for key in given}, given)
    same((made["assistant_id"], made["graph_id"], made["version"]), (assistant_id, "agent", 1))
    same(await client.assistants.get(assistant_id), made)
    other = await client.assistants.create("runtime", context={"model": "openai"})
    same(other["context"], {"model": "openai"})
    same(other["name"], "Untitled")
    same((await client.runs.wait(None, other["assistant_id"], input={}))["model"], "openai")


@both("create: if_exists")
async def if_exists(client):
    assistant_id = str(uuid4())
    made = await client.assistants.create("agent", assistant_id=assistant_id, name="first")
    again = await client.assistants.create(
        "agent", assistant_id=assistant_id, name="second", if_exists="do_nothing"
    )
    same(again, made)
    for options in ({}, {"if_exists": "raise"}):
        error = await refused(
            ConflictError, client.assistants.create("agent", assistant_id=assistant_id, **options)
        )
        same(error.status_code, 409)


@both("update: each field makes a version; metadata is merged")
async def update(client):
    made = await client.assistants.create("agent", name="one", metadata={"a": 1})
    assistant_id = made["assistant_id"]
    change = {"name": "two", "description": "new", "config": {"tags": ["b"]}, "metadata": {"b": 2}}
    changed = await client.assistants.update(assistant_id, **change)
    same({key: changed[key] for key in change}, {**change, "metadata": {"a": 1, "b": 2}})
    same(changed["version"], 2)
    moved = await client.assistants.update(assistant_id, graph_id="runtime", context={"model": "anthropic"})
    same((moved["graph_id"], moved["context"]["model"], moved["version"]), ("runtime", "anthropic", 3))
    same((await client.runs.wait(None, assistant_id, input={}))["model"], "anthropic")
    emptied = await client.assistants.update(assistant_id, config={}, context={})
    same((emptied["config"], emptied["context"]), ({}, {}))


@both("get_versions and set_latest")
async def versions(client):
    made = await client.assistants.create("agent", name="v1", metadata={"stage": "old"})
    assistant_id = made["assistant_id"]
    await client.assistants.update(assistant_id, name="v2", metadata={"stage": "new"})
    await client.assistants.update(assistant_id, name="v3")

    async def found(**options):
        listed = await client.assistants.get_versions(assistant_id, **options)
        return [(one["version"], one["name"]) for one in listed]

    same(await found(), [(3, "v3"), (2, "v2"), (1, "v1")])
    same(await found(limit=1), [(3, "v3")])
    same(await found(limit=1, offset=1), [(2, "v2")])
    same(await found(metadata={"stage": "old"}), [(1, "v1")])
    back = await client.assistants.set_latest(assistant_id, 1)
    same((back["version"], back["name"]), (1, "v1"))
    same((await client.assistants.get(assistant_id))["name"], "v1")
    same((await client.assistants.update(assistant_id, name="v4"))["version"], 4)
    await refused(NotFoundError, client.assistants.set_latest(assistant_id, 9))


@both("search and count: filters, pages, order, select, response_format")
async def search(client):
    mark = str(uuid4())
    names = ["Ada Byron", "ada two", "Grace"]
    graphs = ["agent", "delay", "agent"]
    ids = {}
    for name, graph_id in zip(names, graphs):
        made = await client.assistants.create(graph_id, name=name, metadata={"mark": mark, "n": name})
        ids[name] = made["assistant_id"]
        # Times have milliseconds, and the order by them is asked for below.
        await asyncio.sleep(0.002)

    async def found(**options):
        options = {"metadata": {"mark": mark}, **options}
        return [one["name"] for one in await client.assistants.search(**options)]

    async def count(**options):
        return await client.assistants.count(**{"metadata": {"mark": mark}, **options})

    same(sorted(await found()), names[:1] + ["Grace", "ada two"])
    same((await found(graph_id="delay"), await count(graph_id="delay")), (["ada two"], 1))
    same((sorted(await found(name="ADA")), await count(name="ADA")), (["Ada Byron", "ada two"], 2))
    same((await found(metadata={"mark": mark, "n": "Grace"}), await count()), (["Grace"], 3))
    same(await count(metadata={"mark": "nobody's"}), 0)
    same(await found(sort_by="created_at", sort_order="asc"), names)
    same(await found(sort_by="created_at", sort_order="desc", limit=2), names[:0:-1])
    same(await found(sort_by="created_at", sort_order="asc", limit=2, offset=2), ["Grace"])
    by_id = sorted(names, key=ids.get)
    same(await found(sort_by="assistant_id", sort_order="asc"), by_id)
    same((await found(sort_by="graph_id", sort_order="desc"))[0], "ada two")
    await client.assistants.update(ids["Ada Byron"], description="touched")
    same((await found(sort_by="updated_at", sort_order="desc"))[0], "Ada Byron")
    by_name = await found(sort_by="name", sort_order="asc")
    assert by_name.index("Ada Byron") < by_name.index("Grace"), by_name
    same(await found(sort_by="name", sort_order="desc"), by_name[::-1])
    picked = await client.assistants.search(metadata={"mark": mark}, select=["assistant_id", "version"])
    same({tuple(sorted(one)) for one in picked}, {("assistant_id", "version")})
    page = await client.assistants.search(metadata={"mark": mark}, limit=2, response_format="object")
    same((len(page["assistants"]), page["next"]), (2, "2"))
    last = await client.assistants.search(
        metadata={"mark": mark}, limit=2, offset=2, response_format="object"
    )
    same((len(last["assistants"]), last["next"]), (1, None))


@both("get_graph: xray as a boolean and as a number of levels")
async def drawn(client):
    async def nodes(**options):
        drawing = await client.assistants.get_graph("nested", **options)
        assert all({"source", "target"} <= set(edge) for edge in drawing["edges"]), drawing
        return {str(node["id"]) for node in drawing["nodes"]}

    outer = {"__start__", "gp_one", "gp_two", "__end__"}
    same(await nodes(), outer)
    one, everything = await nodes(xray=1), await nodes(xray=True)
    assert {"gp_two:p_one", "gp_two:p_two"} <= one, one
    assert {"gp_two:p_two:c_one", "gp_two:p_two:c_two"} <= everything, everything
    assert not any("c_one" in node for node in one), one
    same(await nodes(params={"xray": "true"}), everything)


@both("get_schemas and get_subgraphs")
async def schemas(client):
    found = await client.assistants.get_schemas("runtime")
    same(found["graph_id"], "runtime")
    assert {"input_schema", "output_schema", "state_schema", "config_schema"} <= set(found), found
    same(set(found["context_schema"]["properties"]["model"]["enum"]), {"openai", "anthropic"})
    same(set(await client.assistants.get_subgraphs("nested")), {"gp_two"})
    deep = await client.assistants.get_subgraphs("nested", recurse=True)
    same(set(deep), {"gp_two", "gp_two|p_two"})
    assert "messages" in str(deep["gp_two|p_two"]["state_schema"]), deep
    same(set(await client.assistants.get_subgraphs("nested", "gp_two")), {"gp_two"})
    same(set(await client.assistants.get_subgraphs("nested", "gp_two|p_two", True)), {"gp_two|p_two"})
    same(await client.assistants.get_subgraphs("nested", "nowhere"), {})


@both("delete: with and without its threads")
async def delete(client):
    kept = (await client.assistants.create("agent"))["assistant_id"]
    gone = (await client.assistants.create("agent"))["assistant_id"]
    threads = {}
    for assistant_id in (kept, gone):
        threads[assistant_id] = (await client.threads.create())["thread_id"]
        values = await client.runs.wait(threads[assistant_id], assistant_id, input=GIVEN)
        same(texts(values), SAID)
    same(await client.assistants.delete(kept), None)
    same(await client.assistants.delete(gone, delete_threads=True), None)
    for assistant_id in (kept, gone):
        await refused(NotFoundError, client.assistants.get(assistant_id))
    same((await client.threads.get(threads[kept]))["thread_id"], threads[kept])
    await refused(NotFoundError, client.threads.get(threads[gone]))


@both("errors: what is not there, and what is no id")
async def errors(client):
    nobody = str(uuid4())
    for call in (
        client.assistants.get(nobody),
        client.assistants.get_graph(nobody),
        client.assistants.get_schemas(nobody),
        client.assistants.get_subgraphs(nobody),
        client.assistants.update(nobody, name="x"),
        client.assistants.delete(nobody),
        client.assistants.get_versions(nobody),
        client.assistants.create("no-such-graph"),
    ):
        same((await refused(NotFoundError, call)).status_code, 404)
    for call in (
        client.assistants.create("agent", assistant_id="no id"),
        client.assistants.search(limit=-1),
        client.assistants.search(sort_by="colour"),
    ):
        error = await refused(UnprocessableEntityError, call)
        assert {"loc", "msg", "type"} <= set(error.body["detail"][0]), error.body
