import { afterAll, describe, expect, test } from "bun:test";
import type { StreamMode } from "@langchain/langgraph-sdk";
import { type CuttingProxy, cuttingProxy } from "./cutting-proxy.ts";
import { forEachSdk } from "./sdk.ts";
import { servedBerth } from "./served-berth.ts";
import { collect, dataOf, eventNames, eventSet, type Part, present, runIdOf } from "./stream-parts.ts";

const berth = servedBerth();
// 200 tokens, one each 5 ms: long enough to leave a stream in the middle.
const talkative = servedBerth({ project: `${import.meta.dir}/../bench/project` });
const input = { messages: [{ role: "human", content: "hello", id: "human-1" }] };
const streamMode: StreamMode[] = ["values", "updates", "messages-tuple"];
const tokens = (parts: Part[]) =>
  dataOf<[{ content: string }]>(parts, "messages").map(([{ content }]) => content);
const allTokens = Array.from({ length: 200 }, (_, index) => `t${index} `);

const proxies: CuttingProxy[] = [];
afterAll(async () => {
  for (const proxy of proxies) await proxy.stop();
});

forEachSdk((Client) => {
  const newThread = async (url: string) => {
    const client = new Client({ apiUrl: url });
    return { client, thread_id: (await client.threads.create()).thread_id };
  };

  test.concurrent("a stream left in the middle goes on behind its last event, each event exactly once", async () => {
    const { client, thread_id } = await newThread(talkative.url);
    const seen: Part[] = [];
    const stream = client.runs.stream(thread_id, "timed", { input, streamMode, streamResumable: true });
    for await (const part of stream) {
      seen.push(part);
      if (seen.length === 40) break;
    }
    const run_id = runIdOf(seen);
    const lastEventId = present(seen.at(-1)?.id);
    const rest = await collect(client.runs.joinStream(thread_id, run_id, { lastEventId }));
    const uncut = await collect(client.runs.joinStream(thread_id, run_id, { lastEventId: "-1" }));
    expect(rest.length).toBeGreaterThan(0);
    expect([...seen, ...rest]).toEqual(uncut);
    expect(tokens(uncut)).toEqual(allTokens);
    expect(new Set(uncut.map(({ id }) => id)).size).toBe(uncut.length);
  });

  test.concurrent("whatever event it is left at, the rest is the rest", async () => {
    const { client, thread_id } = await newThread(berth.url);
    const modes: StreamMode[] = ["messages", "values", "debug", "messages-tuple"];
    const whole = await collect(
      client.runs.stream(thread_id, "agent", { input, streamMode: modes, streamResumable: true }),
    );
    const run_id = runIdOf(whole);
    expect(whole.length).toBeGreaterThan(30);
    for (const [index, { id }] of whole.entries()) {
      const rest = await collect(client.runs.joinStream(thread_id, run_id, { lastEventId: present(id) }));
      expect(rest).toEqual(whole.slice(index + 1));
    }
  });

  test.concurrent("several joiners at once, early and late, get what the first reader gets", async () => {
    const { client, thread_id } = await newThread(talkative.url);
    const run = await client.runs.create(thread_id, "timed", { input, streamMode, streamResumable: true });
    const join = () => collect(client.runs.joinStream(thread_id, run.run_id, { lastEventId: "-1" }));
    const readers = [join(), join(), join()];
    const first: Part[] = [];
    for await (const part of client.runs.joinStream(thread_id, run.run_id, { lastEventId: "-1" })) {
      if (first.length === 60) readers.push(join(), join());
      first.push(part);
    }
    expect(tokens(first)).toEqual(allTokens);
    for (const parts of await Promise.all(readers)) expect(parts).toEqual(first);
    expect(await join()).toEqual(first);
  });

  test.concurrent("a connection that is destroyed is made again by the client, and nothing is lost", async () => {
    const proxy = await cuttingProxy(talkative.url);
    proxies.push(proxy);
    const { client, thread_id } = await newThread(proxy.url);
    const seen: Part[] = [];
    const stream = client.runs.stream(thread_id, "timed", { input, streamMode, streamResumable: true });
    for await (const part of stream) {
      seen.push(part);
      if (seen.length === 30) proxy.cut();
    }
    const direct = new Client({ apiUrl: talkative.url });
    const uncut = await collect(direct.runs.joinStream(thread_id, runIdOf(seen), { lastEventId: "-1" }));
    expect(seen).toEqual(uncut);
    expect(tokens(seen)).toEqual(allTokens);
    expect(proxy.connections()).toBeGreaterThan(1);
  });

  describe("without an event id", () => {
    test.concurrent("right after create it ends with the error, resumable or not", async () => {
      const { client, thread_id } = await newThread(berth.url);
      for (const streamResumable of [false, true]) {
        const { run_id } = await client.runs.create(thread_id, "error", { input, streamResumable });
        const parts = await collect(client.runs.joinStream(thread_id, run_id));
        expect(parts.at(-1)).toMatchObject({
          event: "error",
          data: { error: "CustomError", message: "Boo!" },
        });
      }
    });

    test.concurrent("the first reader of a run hears all of it, however short the run and however late the reader", async () => {
      const { client, thread_id } = await newThread(berth.url);
      const modes: StreamMode[] = ["updates"];
      for (let round = 0; round < 12; round += 1) {
        const { run_id } = await client.runs.create(thread_id, "custom", { input, streamMode: modes });
        // Half of them have ended by then.
        if (round % 2 === 0) await client.runs.join(thread_id, run_id);
        const parts = await collect(client.runs.joinStream(thread_id, run_id));
        const whole = await collect(client.runs.joinStream(thread_id, run_id, { lastEventId: "-1" }));
        expect([round, parts]).toEqual([round, whole]);
        expect(parts[0]?.event).toBe("metadata");
      }
    });

    test.concurrent("later ones hear what comes from now on, and of an ended run the last values", async () => {
      const { client, thread_id } = await newThread(talkative.url);
      const run = await client.runs.create(thread_id, "timed", { input, streamMode });
      const first: Part[] = [];
      let second: Promise<Part[]> | undefined;
      for await (const part of client.runs.joinStream(thread_id, run.run_id)) {
        first.push(part);
        if (first.length === 60) second = collect(client.runs.joinStream(thread_id, run.run_id));
      }
      expect(tokens(first)).toEqual(allTokens);
      const parts = present(await second);
      const heard = tokens(parts);
      expect(heard.length).toBeLessThan(allTokens.length);
      expect(heard).toEqual(allTokens.slice(allTokens.length - heard.length));
      expect(parts.at(-1)?.event).toBe("values");
      const late = await collect(client.runs.joinStream(thread_id, run.run_id));
      expect(late).toEqual([present(parts.at(-1))]);
    });

    test.concurrent("of an unknown run is 404", async () => {
      const { client, thread_id } = await newThread(berth.url);
      const joining = collect(client.runs.joinStream(thread_id, crypto.randomUUID()));
      await expect(joining).rejects.toThrow(/HTTP 404/);
    });
  });

  test.concurrent("stream_mode narrows a joined stream, and keeps the events of subgraphs", async () => {
    const { client, thread_id } = await newThread(berth.url);
    const whole = await collect(
      client.runs.stream(thread_id, "nested", {
        input: { messages: [] },
        streamMode: ["values", "updates"],
        streamSubgraphs: true,
        streamResumable: true,
      }),
    );
    const options = { lastEventId: "-1", streamMode: "updates" as const };
    const narrowed = await collect(client.runs.joinStream(thread_id, runIdOf(whole), options));
    expect(narrowed).toEqual(
      whole.filter(({ event }) => event === "metadata" || event.split("|")[0] === "updates"),
    );
    expect(eventNames(narrowed).some((name) => name.includes("|"))).toBe(true);
    const both: StreamMode[] = ["updates", "values"];
    const joined = client.runs.joinStream(thread_id, runIdOf(whole), { lastEventId: "-1", streamMode: both });
    expect(await collect(joined)).toEqual(whole);
  });

  test.concurrent("a run without a thread is joined by its id alone", async () => {
    const { client } = await newThread(talkative.url);
    const run = await client.runs.create(null, "timed", { input, streamMode });
    const parts = await collect(client.runs.joinStream(null, run.run_id, { lastEventId: "-1" }));
    expect(tokens(parts)).toEqual(allTokens);
    expect(eventSet(parts)).toEqual(["messages", "metadata", "updates", "values"]);
  });
});
