"""client.threads.stream over connections that break."""

from checks import proxy, same, texts, through, until
from opened import Opened, ways

WORDS = " ".join(f"w{n}" for n in range(60))


@ways("connections that are cut: nothing is lost, and nothing comes twice")
async def cut(opened):
    way = await proxy()
    given = opened("chat")
    async with Opened(through(way, given.client), given.transport, "chat") as thread:
        await thread.start("words 60 pace 20")
        seen = []
        async for event in thread.each(thread.stream.subscribe(["messages", "values"])):
            seen.append(event)
            if len(seen) in (8, 20):
                # Both the reader and whoever watches the run's life come back.
                before = await way.connections()
                await way.cut()
                await way.connected(before + 2)
        said = [one["params"]["data"] for one in seen if one["method"] == "messages"]
        deltas = [one["delta"]["text"] for one in said if one["event"] == "content-block-delta"]
        same("".join(deltas), WORDS)
        numbers = [one["seq"] for one in seen]
        same(numbers, sorted(set(numbers)))
        same(texts(await thread.output())[-1], WORDS)


@ways("a connection that is cut while a question is open")
async def cut_question(opened):
    way = await proxy()
    given = opened("approval")
    async with Opened(through(way, given.client), given.transport, "approval") as thread:
        await thread.start("go")
        [asked] = await until("the question", thread.questions)
        before = await way.connections()
        await way.cut()
        await way.connected(before + 1)
        await thread.respond("yes", interrupt_id=asked["interrupt_id"])
        same((await thread.output())["log"][-1], 'answer: "yes"')
