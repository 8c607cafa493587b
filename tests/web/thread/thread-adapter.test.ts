import { afterEach, describe, expect, test } from "bun:test";
import { ThreadAdapter, type ThreadAdapterOptions } from "../../../web/thread/thread-adapter.ts";
import { ThreadSocket } from "../../../web/thread/thread-socket.ts";
import { begin, Dialled, settled } from "./scripted-socket.ts";

type Asked = { method: string; path: string; body: unknown };

const undo: (() => void)[] = [];
afterEach(() => {
  for (const step of undo.splice(0)) step();
});

const context = { tone: "calm" };
const settings = { assistantId: "a1", context, configurable: { model: "big" } };

/** An adapter whose server is `answer`, and what that was asked. */
async function adapted(answer: () => Response | Promise<never>, options: Partial<ThreadAdapterOptions> = {}) {
  const asked: Asked[] = [];
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      const text = await request.text();
      const body: unknown = text ? JSON.parse(text) : undefined;
      asked.push({ method: request.method, path: new URL(request.url).pathname, body });
      return await answer();
    },
  });
  const dial = new Dialled();
  const socket = new ThreadSocket({ open: dial.open });
  undo.push(
    () => socket.stop(),
    () => server.stop(true),
  );
  socket.start();
  const adapter = new ThreadAdapter({
    threadId: "t1",
    server: server.url.origin,
    socket,
    backfill: async () => [],
    settings: () => settings,
    isDraft: () => false,
    onMissing: () => {},
    ...options,
  });
  return { adapter, asked, socket, server, connect: async () => begin(await dial.next()) };
}

const start = { id: 3, method: "run.start" as const, params: { assistant_id: "_", input: { messages: [] } } };
const done = () => Response.json({ type: "success", id: 3, result: { run_id: "r1" } });

describe("a run that is started", () => {
  test("gets the conversation's assistant, context and configuration", async () => {
    const { adapter, asked, connect } = await adapted(done);
    await connect();
    await adapter.send({
      ...start,
      params: { ...start.params, config: { configurable: { thread_id: "t1" } } },
    });
    const config = { configurable: { model: "big", thread_id: "t1" } };
    expect(asked).toEqual([
      {
        method: "POST",
        path: "/api/threads/t1/commands",
        body: {
          ...start,
          params: { ...start.params, config, context, assistant_id: "a1", keep_stopped: true },
        },
      },
    ]);
  });

  test("waits while the server is away, and is sent once when it is back", async () => {
    const { adapter, asked, connect } = await adapted(done);
    const sent = adapter.send(start);
    await settled();
    expect(asked).toEqual([]);
    await connect();
    await sent;
    expect(asked).toHaveLength(1);
  });

  test("is not sent again when the connection breaks under it, for it may have arrived", async () => {
    const { adapter, asked, connect, server } = await adapted(() => {
      server.stop(true);
      return Promise.withResolvers<never>().promise;
    });
    await connect();
    await expect(adapter.send(start)).rejects.toThrow("may have arrived");
    expect(asked).toHaveLength(1);
  });
});

test("other commands go out as they are", async () => {
  const { adapter, asked } = await adapted(() => Response.json({ type: "success", id: 1, result: {} }));
  const command = { id: 1, method: "agent.getTree" as const, params: {} };
  await adapter.send(command);
  expect(asked.map(({ body }) => body)).toEqual([command]);
});

describe("a thread's state", () => {
  test("never says that nothing is to come, so that the SDK listens for runs of other tabs", async () => {
    const values = { messages: [] };
    const { adapter, asked } = await adapted(() => Response.json({ values, next: [], tasks: [] }));
    expect(await adapter.getState?.()).toEqual({ values, next: undefined, tasks: [] });
    expect(asked).toEqual([{ method: "GET", path: "/api/threads/t1/state", body: undefined }]);
  });

  test("is not asked for while nobody has written anything", async () => {
    const { adapter, asked } = await adapted(() => new Response(), { isDraft: () => true });
    expect(await adapter.getState?.()).toBeNull();
    expect(asked).toEqual([]);
  });

  test("that is not there is told", async () => {
    let missing = 0;
    const onMissing = () => {
      missing += 1;
    };
    const { adapter } = await adapted(() => Response.json({ detail: "no" }, { status: 404 }), { onMissing });
    expect(await adapter.getState?.()).toBeNull();
    expect(missing).toBe(1);
  });
});

test("its streams come from the socket, not from a request", async () => {
  const { adapter, asked, connect } = await adapted(done);
  const stream = adapter.openEventStream({ channels: ["messages"] });
  await connect();
  await stream.ready;
  stream.close();
  expect(asked).toEqual([]);
});
