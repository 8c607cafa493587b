"""Calls of the official Python client against the Berth whose address is the only argument."""

import sys
from concurrent.futures import ThreadPoolExecutor

from langgraph_sdk import get_sync_client

GIVEN = {"messages": [{"role": "human", "content": "hello"}]}
SAID = ["hello", "begin", "tool_call__begin", "end"]


def texts(values):
    return [message["content"] for message in values["messages"]]


def assistants(client):
    assert "agent" in [one["graph_id"] for one in client.assistants.search(limit=100)]
    made = client.assistants.create("agent", name="python", metadata={"by": "python"})
    assistant_id = made["assistant_id"]
    assert client.assistants.get(assistant_id)["name"] == "python"
    changed = client.assistants.update(assistant_id, name="snake")
    assert (changed["version"], changed["name"]) == (2, "snake")
    assert client.assistants.get_graph(assistant_id)["nodes"]
    assert "state_schema" in client.assistants.get_schemas(assistant_id)
    client.assistants.delete(assistant_id)


def threads(client):
    thread = client.threads.create(metadata={"by": "python"})
    thread_id = thread["thread_id"]
    assert thread_id in [one["thread_id"] for one in client.threads.search(metadata={"by": "python"})]
    client.runs.wait(thread_id, "agent", input=GIVEN)
    assert texts(client.threads.get_state(thread_id)["values"]) == SAID
    client.threads.update_state(thread_id, {"messages": [{"role": "human", "content": "more"}]})
    assert texts(client.threads.get_state(thread_id)["values"])[-1] == "more"
    assert len(client.threads.get_history(thread_id, limit=2)) == 2
    copied = client.threads.copy(thread_id)
    assert copied is None or copied["thread_id"] != thread_id
    client.threads.delete(thread_id)


def runs(client):
    thread_id = client.threads.create()["thread_id"]
    assert texts(client.runs.wait(thread_id, "agent", input=GIVEN)) == SAID
    parts = list(client.runs.stream(thread_id, "agent", input=GIVEN, stream_mode=["values", "updates"]))
    assert parts[0].event == "metadata" and "run_id" in parts[0].data
    assert {part.event for part in parts} == {"metadata", "values", "updates"}
    assert texts(client.runs.wait(None, "agent", input=GIVEN)) == SAID
    run = client.runs.create(thread_id, "agent", input=GIVEN)
    assert texts(client.runs.join(thread_id, run["run_id"]))[-4:] == SAID
    assert client.runs.get(thread_id, run["run_id"])["status"] == "success"
    assert [one["run_id"] for one in client.runs.list(thread_id)][0] == run["run_id"]
    slow = client.runs.create(thread_id, "delay", input={**GIVEN, "delay": 5000})
    client.runs.cancel(thread_id, slow["run_id"], wait=True)
    assert client.runs.get(thread_id, slow["run_id"])["status"] == "interrupted"


def crons(client):
    client.crons.create("agent", schedule="0 0 1 1 *", input=GIVEN, metadata={"by": "python"})
    found = client.crons.search(limit=100)
    assert [one["schedule"] for one in found] == ["0 0 1 1 *"]
    client.crons.delete(found[0]["cron_id"])
    assert client.crons.search() == []


def store(client):
    client.store.put_item(["python", "people"], key="ada", value={"likes": "tea"})
    assert client.store.get_item(["python", "people"], key="ada")["value"] == {"likes": "tea"}
    found = client.store.search_items(["python"], filter={"likes": "tea"})["items"]
    assert [one["key"] for one in found] == ["ada"]
    spaces = client.store.list_namespaces(prefix=["python"])["namespaces"]
    assert spaces == [["python", "people"]]
    client.store.delete_item(["python", "people"], key="ada")
    assert client.store.search_items(["python"])["items"] == []


def main(url):
    client = get_sync_client(url=url, api_key=None)
    areas = [assistants, threads, runs, crons, store]
    with ThreadPoolExecutor() as pool:
        for area, done in [(area, pool.submit(area, client)) for area in areas]:
            done.result()
            print(f"{area.__name__}: ok")


main(sys.argv[1])
