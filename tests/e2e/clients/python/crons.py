"""client.crons: every method, every parameter that reaches the wire. For ticks: tests/e2e/crons.test.ts."""

import asyncio
from datetime import datetime, timedelta, timezone
from uuid import uuid4
from zoneinfo import ZoneInfo

from checks import GIVEN, both, refused, same
from langgraph_sdk.errors import NotFoundError, UnprocessableEntityError

# Once a year, so that nothing fires while this runs, but for one night.
YEARLY = "0 4 1 1 *"
END = datetime(2099, 5, 6, 7, 8, tzinfo=timezone.utc)

RUN = {
    "input": GIVEN,
    "config": {"tags": ["nightly"], "configurable": {"a": 1}},
    "context": {"b": 2},
    "interrupt_before": ["tool"],
    "interrupt_after": ["agent"],
    "webhook": "https://told.invalid/told",
    "stream_mode": ["updates", "values"],
    "stream_subgraphs": True,
    "stream_resumable": True,
    "durability": "sync",
}


def moment(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


async def one(client, mark):
    [found] = await client.crons.search(metadata={"mark": mark})
    return found


@both("create: everything that can be said of one is there")
async def create(client):
    mark = str(uuid4())
    given = {"on_run_completed": "keep", "multitask_strategy": "interrupt", "enabled": True}
    made = await client.crons.create(
        "agent",
        schedule=YEARLY,
        metadata={"mark": mark},
        end_time=END,
        timezone=ZoneInfo("America/New_York"),
        **given,
        **RUN,
    )
    cron = await one(client, mark)
    same(made, cron)
    same((cron["schedule"], cron["timezone"], cron["thread_id"]), (YEARLY, "America/New_York", None))
    same((cron["on_run_completed"], cron["enabled"], moment(cron["end_time"])), ("keep", True, END))
    fires = moment(cron["next_run_date"]).astimezone(ZoneInfo("America/New_York"))
    same((fires.month, fires.day, fires.hour, fires.minute), (1, 1, 4, 0))
    wanted = {**RUN, "metadata": {"mark": mark}, "multitask_strategy": "interrupt"}
    same({key: cron["payload"].get(key) for key in wanted}, wanted)
    same(await client.crons.delete(cron["cron_id"]), None)
    same(await client.crons.search(metadata={"mark": mark}), [])


@both("create: the defaults, and a cron that is off")
async def plain(client):
    mark = str(uuid4())
    cron = await client.crons.create("agent", schedule=YEARLY, metadata={"mark": mark})
    same((cron["timezone"], cron["end_time"], cron["enabled"]), (None, None, True))
    same(moment(cron["next_run_date"]).hour, 4)
    off = await client.crons.create(
        "agent",
        schedule=YEARLY,
        metadata={"mark": mark},
        enabled=False,
        timezone=timezone.utc,
        checkpoint_during=False,
    )
    same(off["payload"]["checkpoint_during"], False)
    same((off["enabled"], off["next_run_date"], off["timezone"]), (False, None, "UTC"))
    soon = datetime.now(timezone.utc) + timedelta(seconds=1)
    over = await client.crons.create("agent", schedule=YEARLY, metadata={"mark": mark}, end_time=soon)
    same(over["next_run_date"], None)
    for made in (cron, off, over):
        await client.crons.delete(made["cron_id"])


@both("create_for_thread: on its thread, gone with it")
async def on_thread(client):
    thread_id = (await client.threads.create())["thread_id"]
    made = await client.crons.create_for_thread(
        thread_id,
        "agent",
        schedule="*/5 * * * *",
        metadata={"mark": thread_id},
        end_time=END,
        enabled=False,
        timezone="Europe/Paris",
        multitask_strategy="reject",
        **RUN,
    )
    same((made["thread_id"], made["timezone"], made["enabled"]), (thread_id, "Europe/Paris", False))
    same(moment(made["end_time"]), END)
    wanted = {**RUN, "multitask_strategy": "reject"}
    same({key: made["payload"].get(key) for key in wanted}, wanted)
    same([cron["cron_id"] for cron in await client.crons.search(thread_id=thread_id)], [made["cron_id"]])
    same(await client.crons.count(thread_id=thread_id), 1)
    await client.threads.delete(thread_id)
    same(await client.crons.count(thread_id=thread_id), 0)


@both("update: each field; the end can be taken away")
async def update(client):
    mark = str(uuid4())
    made = await client.crons.create(
        "agent", schedule=YEARLY, metadata={"mark": mark, "a": 1}, end_time=END, timezone="Asia/Tokyo"
    )
    change = {"schedule": "30 5 2 1 *", "enabled": False, "on_run_completed": "keep", "timezone": "UTC"}
    changed = await client.crons.update(made["cron_id"], metadata={"b": 2}, **change, **RUN)
    same({key: changed[key] for key in change}, change)
    same(changed["metadata"], {**changed["metadata"], "mark": mark, "a": 1, "b": 2})
    same({key: changed["payload"].get(key) for key in RUN}, RUN)
    # What is not said stays.
    same(moment(changed["end_time"]), END)
    endless = await client.crons.update(made["cron_id"], end_time=None)
    same((endless["end_time"], endless["schedule"]), (None, change["schedule"]))
    later = END + timedelta(days=1)
    same(moment((await client.crons.update(made["cron_id"], end_time=later))["end_time"]), later)
    on = await client.crons.update(made["cron_id"], enabled=True)
    fires = moment(on["next_run_date"])
    same((fires.day, fires.hour, fires.minute), (2, 5, 30))
    same(await one(client, mark), on)
    await client.crons.delete(made["cron_id"])


@both("search and count: filters, pages, order, select")
async def search(client):
    mark = str(uuid4())
    ids, assistants = [], []
    for n in range(3):
        assistants.append((await client.assistants.create("agent"))["assistant_id"])
        made = await client.crons.create(
            assistants[n],
            schedule=f"0 {10 - n} 1 1 *",
            metadata={"mark": mark, "n": n},
            enabled=n != 1,
            end_time=END + timedelta(days=n),
        )
        ids.append(made["cron_id"])
        await asyncio.sleep(0.002)

    async def found(**options):
        listed = await client.crons.search(**{"metadata": {"mark": mark}, **options})
        return [ids.index(cron["cron_id"]) for cron in listed]

    same((sorted(await found()), await client.crons.count(metadata={"mark": mark})), ([0, 1, 2], 3))
    same(await found(metadata={"mark": mark, "n": 1}), [1])
    same((sorted(await found(enabled=True)), await found(enabled=False)), ([0, 2], [1]))
    same(await found(assistant_id=assistants[2]), [2])
    same(await client.crons.count(assistant_id=assistants[2]), 1)
    same(await found(sort_by="created_at", sort_order="asc"), [0, 1, 2])
    same(await found(sort_by="created_at", sort_order="desc"), [2, 1, 0])
    same(await found(sort_by="end_time", sort_order="desc", limit=1, offset=1), [1])
    same(await found(sort_by="next_run_date", sort_order="asc", enabled=True), [2, 0])
    same(await found(sort_by="cron_id", sort_order="asc"), sorted(range(3), key=lambda n: ids[n]))
    await client.crons.update(ids[0], metadata={"touched": True})
    same((await found(sort_by="updated_at", sort_order="desc"))[0], 0)
    picked = await client.crons.search(metadata={"mark": mark}, select=["cron_id", "schedule"])
    same({tuple(sorted(cron)) for cron in picked}, {("cron_id", "schedule")})
    # A cron goes with its assistant.
    await client.assistants.delete(assistants[0])
    same(sorted(await found()), [1, 2])
    for cron_id in ids[1:]:
        await client.crons.delete(cron_id)


@both("errors: what is not there, no schedule, no time zone")
async def errors(client):
    nobody = str(uuid4())
    for call in (
        client.crons.delete(nobody),
        client.crons.update(nobody, enabled=False),
        client.crons.create("no-such-graph", schedule=YEARLY),
        client.crons.create_for_thread(nobody, "agent", schedule=YEARLY),
    ):
        same((await refused(NotFoundError, call)).status_code, 404)
    for call in (
        client.crons.create("agent", schedule="@daily"),
        client.crons.create("agent", schedule="0 0 31 2 *"),
        client.crons.create("agent", schedule=YEARLY, timezone="Mars/Base"),
    ):
        same((await refused(UnprocessableEntityError, call)).status_code, 422)
