"""client.threads.stream: a run, its projections, its questions, its failures."""

import asyncio
import json
from uuid import uuid4

from checks import clients, refused, same, texts, until
from opened import ways


@ways("a run: messages token by token, and its output")
async def run(opened):
    async with opened("chat") as thread:
        began = await thread.start("words 5", config={"tags": ["t"]}, metadata={"mark": 1})
        same(await thread.spoken(thread.stream.messages), [["w0 ", "w1 ", "w2 ", "w3 ", "w4"]])
        same(texts(await thread.output()), ["words 5", "w0 w1 w2 w3 w4"])
        same((thread.stream.interrupted, thread.stream.interrupts), (False, []))
        found = await clients()[0].runs.get(thread.thread_id, began["run_id"])
        same((found["metadata"]["mark"], found["status"]), (1, "success"))
        same(found["kwargs"]["config"]["tags"], ["t"])


@ways("tokens come while the run goes on")
async def live(opened):
    async with opened("chat") as thread:
        began = await thread.start("words 60 pace 20")
        async for event in thread.each(thread.stream.subscribe(["messages"])):
            if event["params"]["data"]["event"] == "content-block-delta":
                break
        same((await clients()[0].runs.get(thread.thread_id, began["run_id"]))["status"], "running")
        await clients()[0].runs.cancel(thread.thread_id, began["run_id"], wait=True)


@ways("values: the state of each superstep, and the last one")
async def values(opened):
    async with opened("tool") as thread:
        await thread.start("weather?")
        seen = [len(one.get("messages", [])) async for one in thread.each(thread.stream.values)]
        # The state as it is when reading begins comes first.
        same((sorted(seen[1:]), seen[-1]), (seen[1:], 4))
        last = await (asyncio.to_thread(thread.stream.values.get) if thread.sync else thread.stream.values)
        same(texts(last)[-1], "It is: Sunny in Paris on the Seine")


@ways("an interrupt: it is told, and an answer goes on")
async def interrupt(opened):
    async with opened("approval") as thread:
        error = await refused(RuntimeError, thread.respond("early"))
        assert "no outstanding interrupt" in str(error), error
        reading = asyncio.create_task(thread.all(thread.stream.subscribe(["updates"])))
        await until("somebody reads", thread.readers)
        await thread.start("go")
        # A question ends what is read, also when it is heard of before what came first.
        await reading
        [asked] = thread.stream.interrupts
        same((thread.stream.interrupted, asked["value"]), (True, {"question": "ok?", "text": "draft"}))
        await refused(RuntimeError, thread.respond("yes", interrupt_id="another"))
        await thread.respond({"fine": True})
        same((await thread.output())["log"], ["draft", 'answer: {"fine":true}'])
        same((thread.stream.interrupted, thread.stream.interrupts), (False, []))


@ways("interrupts side by side, and one inside a subgraph")
async def interrupts(opened):
    async with opened("questions") as thread:
        await thread.start(input={})
        both = await until("both questions", thread.questions, lambda asked: len(asked) == 2)
        ids = {one["value"]: one["interrupt_id"] for one in both}
        error = await refused(RuntimeError, thread.respond("?"))
        assert "ambiguous" in str(error), error
        await thread.respond("red", interrupt_id=ids["colour?"])
        await thread.respond("small", interrupt_id=ids["size?"])
        same(sorted((await thread.output())["answers"]), ["colour? red", "size? small"])
    async with opened("inside") as thread:
        await thread.start("go")
        [asked] = await until("the question", thread.questions)
        same((asked["value"], asked["namespace"][0].split(":")[0]), ({"question": "inside?"}, "review"))
        await thread.respond(7)
        same((await thread.output())["answer"], 7)


@ways("tool_calls: their input and output, and their failures")
async def tool_calls(opened):
    async with opened("tool") as thread:
        await thread.start("weather?")
        [call] = await thread.all(thread.stream.tool_calls)
        same((call.name, call.tool_call_id, call.done), ("get_weather", "call_1", True))
        # JavaScript tools are told their input as text.
        same(json.loads(call.input), {"city": "Paris on the Seine"})
        assert "Sunny in Paris" in str(await thread.result(call)), call.output
    async with opened("tool") as thread:
        await thread.start("broken")
        [call] = await thread.all(thread.stream.tool_calls)
        same((call.name, call.done), ("break_down", True))
        assert "broke down" in str(await refused(RuntimeError, thread.result(call)))
        assert "broke down" in texts(await thread.output())[-1]


@ways("subgraphs: what is said and done inside them")
async def subgraphs(opened):
    async with opened("subgraph") as thread:
        await thread.start("go")
        [inner] = await thread.all(thread.stream.subgraphs)
        same((inner.graph_name, len(inner.path)), ("research", 1))
        same(await thread.spoken(inner.messages), [["inner ", "says ", "hi"]])
        same((inner.status, inner.error), ("completed", None))
    async with opened("nested") as thread:
        await thread.start(input={})
        [outer] = await thread.all(thread.stream.subgraphs)
        [inner] = await thread.all(outer.subgraphs)
        same([one.split(":")[0] for one in inner.path], ["gp_two", "p_two"])


@ways("subagents: two at once, each with its own messages and tool calls")
async def subagents(opened):
    async with opened("deep") as thread:
        await thread.start("find out")

        async def watch(agent):
            spoken, calls = await asyncio.gather(
                thread.spoken(agent.messages), thread.all(agent.tool_calls)
            )
            return ["".join(said) for said in spoken if said], [call.name for call in calls]

        watching = []
        async for agent in thread.each(thread.stream.subagents):
            same(agent.graph_name, "tools")
            watching.append(asyncio.create_task(watch(agent)))
        found = sorted(await asyncio.gather(*watching))
        subjects = ["streams", "sums"]
        wanted = [f"Findings: results for Research {subject} for question 1" for subject in subjects]
        same(found, [([text], ["search_web"]) for text in wanted])
        assert texts(await thread.output())[-1].startswith("Final answer: Findings"), await thread.output()


@ways("extensions: what a graph writes under a name")
async def extensions(opened):
    async with opened("named") as thread:
        await thread.start("go")
        steps = await thread.all(thread.stream.extensions["steps"])
        same(steps, [{"name": "steps", "payload": {"n": 1}}])
    async with opened("named") as thread:
        await thread.start("go")
        seen = await thread.all(thread.stream.subscribe(["custom"]))
        same([one["params"]["data"].get("name") for one in seen], [None, "steps", "other"])


@ways("interleave_projections: several kinds in the order of what happens")
async def interleave(opened):
    async with opened("tool") as thread:
        await thread.start("weather?")
        channels = ["values", "messages", "tool_calls", "updates", "checkpoints", "tasks"]
        seen = await thread.all(thread.stream.interleave_projections(channels))
        names = [name for name, _ in seen]
        same(set(names), set(channels))
        spoken = ["".join(await thread.said(one)) for name, one in seen if name == "messages"]
        same(spoken, ["Checking. ", "It is: Sunny in Paris on the Seine"])
        same([one.name for name, one in seen if name == "tool_calls"], ["get_weather"])
        same([list(one["values"]) for name, one in seen if name == "updates"][0], ["messages"])
        same(texts([one for name, one in seen if name == "values"][-1])[-1], spoken[-1])
        assert names.index("messages") < names.index("tool_calls"), names
    async with opened("subgraph") as thread:
        await thread.start("go")
        seen = await thread.all(thread.stream.interleave_projections(["subgraphs", "values"]))
        same([one.graph_name for name, one in seen if name == "subgraphs"], ["research"])
    async with opened("named") as thread:
        await thread.start("go")
        seen = await thread.all(thread.stream.interleave_projections(["steps", "values"]))
        same([one["payload"] for name, one in seen if name == "steps"], [{"n": 1}])
        await refused(ValueError, thread.all(thread.stream.interleave_projections(["tools"])))


@ways("subscribe: channels, namespaces and depth")
async def subscribe(opened):
    async with opened("subgraph") as thread:
        await thread.start("go")
        inner, outer = await asyncio.gather(
            thread.all(thread.stream.subscribe(["messages"], namespaces=[["research"]])),
            thread.all(thread.stream.subscribe(["lifecycle"], namespaces=[[]], depth=0)),
        )
        assert inner and all(one["params"]["namespace"][0].startswith("research:") for one in inner), inner
        same({one["method"] for one in inner}, {"messages"})
        same({tuple(one["params"]["namespace"]) for one in outer}, {()})
        same(outer[-1]["params"]["data"]["event"], "completed")


@ways("events: all of them, in order, once")
async def events(opened):
    async with opened("agent") as thread:
        await thread.start("hello")
        seen = []
        async for event in thread.each(thread.stream.events):
            # A WebSocket also has the answer to the subscription.
            if event.get("type") == "event":
                seen.append(event)
            if event.get("method") == "lifecycle" and event["params"]["data"]["event"] == "completed":
                break
        numbers = [event["seq"] for event in seen]
        same(numbers, sorted(set(numbers)))
        same(len({event["event_id"] for event in seen}), len(seen))
        assert {"values", "updates", "tasks", "lifecycle"} <= {event["method"] for event in seen}, seen


@ways("a run that fails, and a good one behind it on the same stream")
async def failure(opened):
    async with opened("fails") as thread:
        await thread.start("go")
        same(await thread.all(thread.stream.messages), [])
        error = await refused(RuntimeError, thread.output())
        assert "kaboom" in str(error), error
        reading = asyncio.create_task(thread.all(thread.stream.subscribe(["messages", "lifecycle"])))
        await until("somebody reads", thread.readers)
        await thread.start("fine")
        seen = [one for one in await reading if one["method"] == "messages"]
        same(seen[0]["params"]["data"]["event"], "message-start")
        state = await clients()[0].threads.get_state(thread.thread_id)
        same(texts(state["values"])[-1], "You said: fine")


@ways("a second run on the same stream")
async def second(opened):
    async with opened("chat") as thread:
        await thread.start("one")
        same(await thread.spoken(thread.stream.messages), [["You ", "said: ", "one"]])
        # A stream that is open already tells only those who read before the run.
        reading = asyncio.create_task(thread.spoken(thread.stream.messages))
        await until("somebody reads", thread.readers)
        await thread.start("two")
        same(await reading, [["You ", "said: ", "two"]])
        same(texts(await thread.output()), ["one", "You said: one", "two", "You said: two"])


@ways("a thread that is there: its state at once, and a stream of what comes")
async def reopened(opened):
    thread_id = str(uuid4())
    async with opened("chat", thread_id) as thread:
        await thread.start("one")
        same(texts(await thread.output()), ["one", "You said: one"])
    async with opened("chat", thread_id) as thread:
        same(texts(await thread.output()), ["one", "You said: one"])
        await thread.start("two")
        same(await thread.spoken(thread.stream.messages), [["You ", "said: ", "two"]])
    same(len(await clients()[0].runs.list(thread_id)), 2)


@ways("agent.get_tree, langsmith_tracing, and an assistant that is not there")
async def odds(opened):
    async with opened("nested") as thread:
        tree = await thread.call(thread.stream.agent.get_tree)
        same({node["id"] for node in tree["nodes"]}, {"__start__", "gp_one", "gp_two", "__end__"})
        deep = await thread.call(thread.stream.agent.get_tree, xray=True)
        assert len(deep["nodes"]) > len(tree["nodes"]), deep
        await thread.start(input={}, langsmith_tracing={"project_name": "mine"})
        assert (await thread.output())["messages"], "no output"
        thread.stream.assistant_id = "no-such-assistant"
        error = await refused(RuntimeError, thread.start("go"))
        assert "invalid_argument" in str(error), error
