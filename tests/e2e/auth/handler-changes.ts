import { until } from "../condition.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers of many operations
type Json = any;

/** Sends a request of one user, which has to succeed. */
export type Sender = (
  method: string,
  path: string,
  body?: unknown,
) => Promise<{ text: string; json(): Json }>;

/** What became of something that the handler changes. */
type Made = [what: "owner" | "said" | "answer", is: unknown];
export type Changed = [operation: string, ...made: Made];

/** What a caller says, which the handler replaces. */
const metadata = { owner: "grace", topic: "mine" };
const input = { said: "unchecked" };
const run = { assistant_id: "agent", input, metadata };
const SCHEDULE = "0 0 1 1 *";

const ownerOf = ({ metadata }: Json): Made => ["owner", metadata?.owner];
const saidBy = (values: Json): Made => ["said", values?.said];

async function newThread(send: Sender): Promise<string> {
  return (await send("POST", "/threads", {})).json().thread_id;
}

/** The thread's newest run, and its values once the run is over. */
async function outcomeOf(send: Sender, thread: string): Promise<Made[]> {
  const runs = `/threads/${thread}/runs`;
  const [newest] = (await send("GET", runs)).json();
  const values = (await send("GET", `${runs}/${newest.run_id}/join`)).json();
  return [ownerOf(newest), saidBy(values)];
}

/** A run on a thread, which `path` starts. */
const onThread = (path: string) => async (send: Sender) => {
  const thread = await newThread(send);
  await send("POST", `/threads/${thread}${path}`, run);
  return outcomeOf(send, thread);
};

const stateless =
  (path: string) =>
  async (send: Sender): Promise<Made[]> => {
    const kept = { ...run, on_completion: "keep" };
    await send("POST", path, path === "/runs/batch" ? [kept] : kept);
    const [newest] = (await send("POST", "/threads/search", { limit: 1, sort_by: "created_at" })).json();
    return [ownerOf(newest), ...(await outcomeOf(send, newest.thread_id))];
  };

const rpc = (method: string, params: object) => ({ jsonrpc: "2.0", id: 1, method, params });
const command = (method: string, params: object) => ({ id: 1, method, params });

/** Every command that starts a run. */
const commands =
  (base: string) =>
  async (send: Sender): Promise<Made[]> => {
    const thread = crypto.randomUUID();
    const at = `${base}/${thread}/commands`;
    const done = async (body: object) => {
      const reply = (await send("POST", at, body)).json();
      if (reply.type !== "success") throw new Error(JSON.stringify(reply));
      return reply;
    };
    await done(command("run.start", run));
    const made = await outcomeOf(send, thread);
    const [{ checkpoint }] = (await send("GET", `/threads/${thread}/history?limit=1`)).json();
    await done(command("state.fork", { ...run, checkpoint_id: checkpoint.checkpoint_id }));
    made.push(...(await outcomeOf(send, thread)));
    for (const isList of [false, true]) {
      await done(command("run.start", { assistant_id: "agent", input: { said: "ask" } }));
      await outcomeOf(send, thread);
      const [{ tasks }] = (await send("GET", `/threads/${thread}/history?limit=1`)).json();
      const answer = { interrupt_id: tasks[0].interrupts[0].id, response: "unchecked" };
      await done(command("input.respond", { ...(isList ? { responses: [answer] } : answer), metadata }));
      const [newest] = (await send("GET", `/threads/${thread}/runs`)).json();
      const values = (await send("GET", `/threads/${thread}/runs/${newest.run_id}/join`)).json();
      made.push(ownerOf(newest), ["answer", values.answer]);
    }
    const slow = { assistant_id: "slow", input: { delay: 600_000 }, metadata };
    await done(command("run.start", slow));
    await until(
      "the slow run goes on",
      async () => (await send("GET", `/threads/${thread}`)).json().status === "busy",
    );
    await done(command("input.inject", { message: { role: "user", content: "wait" }, metadata }));
    made.push(...(await send("GET", `/threads/${thread}/runs?limit=2`)).json().map(ownerOf));
    await send("POST", "/runs/cancel", { status: "all" });
    return made;
  };

/** Makes a thing with the owner of the handler, and changes it. */
const patched =
  (create: string, body: object, patch: (made: Json) => [path: string, read: string]) =>
  async (send: Sender): Promise<Made[]> => {
    const [path, read] = patch((await send("POST", create, body)).json());
    await send("PATCH", path, { metadata });
    return [ownerOf((await send("GET", read)).json())];
  };

const created =
  (path: string, body: object) =>
  async (send: Sender): Promise<Made[]> => [ownerOf((await send("POST", path, body)).json())];

async function madeCron(send: Sender, path: string): Promise<Made[]> {
  const cron = (await send("POST", path, { ...run, schedule: SCHEDULE })).json();
  await send("DELETE", `/runs/crons/${cron.cron_id}`);
  return [ownerOf(cron), saidBy(cron.payload.input)];
}

/** Each operation in which a handler can change something, with what became of it. */
export const CHANGES: Record<string, (send: Sender) => Promise<Made[]>> = {
  "POST /threads": created("/threads", { metadata }),
  "PATCH /threads/:thread_id": patched("/threads", {}, ({ thread_id }) => {
    const path = `/threads/${thread_id}`;
    return [path, path];
  }),
  "PATCH /threads/:thread_id/state": patched("/threads", {}, ({ thread_id }) => {
    const path = `/threads/${thread_id}`;
    return [`${path}/state`, path];
  }),
  "POST /threads/:thread_id/copy": async (send) =>
    created(`/threads/${await newThread(send)}/copy`, {})(send),
  "POST /api/threads/:thread_id/state": async (send) => {
    const thread = crypto.randomUUID();
    await send("POST", `/api/threads/${thread}/state`, { values: { said: "first" } });
    return [ownerOf((await send("GET", `/threads/${thread}`)).json())];
  },
  "POST /threads/:thread_id/runs": onThread("/runs"),
  "POST /threads/:thread_id/runs/stream": onThread("/runs/stream"),
  "POST /threads/:thread_id/runs/wait": onThread("/runs/wait"),
  "POST /runs": stateless("/runs"),
  "POST /runs/stream": stateless("/runs/stream"),
  "POST /runs/wait": stateless("/runs/wait"),
  "POST /runs/batch": stateless("/runs/batch"),
  "POST /threads/:thread_id/commands": commands("/threads"),
  "POST /api/threads/:thread_id/commands": commands("/api/threads"),
  "POST /a2a/:assistant_id": async (send) => {
    const message = { messageId: "m", role: "user", parts: [{ kind: "data", data: input }] };
    const task = (await send("POST", "/a2a/agent", rpc("message/send", { message, metadata }))).json();
    return outcomeOf(send, task.result.contextId);
  },
  "POST /mcp": async (send) => {
    const { text } = await send("POST", "/mcp", rpc("tools/call", { name: "agent", arguments: input }));
    return [["said", /\bchecked\b/.exec(text)?.[0]]];
  },
  "POST /runs/crons": (send) => madeCron(send, "/runs/crons"),
  "POST /threads/:thread_id/runs/crons": async (send) =>
    madeCron(send, `/threads/${await newThread(send)}/runs/crons`),
  "PATCH /runs/crons/:cron_id": async (send) => {
    const wanted = { assistant_id: "agent", schedule: SCHEDULE };
    const path = `/runs/crons/${(await send("POST", "/runs/crons", wanted)).json().cron_id}`;
    await send("PATCH", path, { metadata, input });
    const cron = (await send("GET", path)).json();
    await send("DELETE", path);
    return [ownerOf(cron), saidBy(cron.payload.input)];
  },
  "POST /assistants": created("/assistants", { graph_id: "agent", metadata }),
  "PATCH /assistants/:assistant_id": patched("/assistants", { graph_id: "agent" }, ({ assistant_id }) => {
    const path = `/assistants/${assistant_id}`;
    return [path, path];
  }),
  "PUT /store/items": async (send) => {
    const item = { namespace: ["changes"], key: crypto.randomUUID() };
    await send("PUT", "/store/items", { ...item, value: { ...metadata } });
    const { value } = (await send("GET", `/store/items?namespace=changes&key=${item.key}`)).json();
    return [["owner", value.owner]];
  },
};

type Search = {
  put: (send: Sender, token: string) => Promise<unknown>;
  find: (send: Sender) => Promise<string[]>;
};

const ownersOf = (rows: Json[]): string[] => [...new Set(rows.map((row) => row.metadata.owner as string))];
/** `lena` where only one thing is counted, which can only be hers. */
const counted = (count: Json): string[] => (count === 1 ? ["lena"] : [`${count} things`]);

const threads = (id: string) => ({
  put: (send: Sender) => send("POST", "/threads", { metadata: { of: id } }),
});
const chats = () => ({
  put: (send: Sender) => send("POST", "/runs/wait", { assistant_id: "agent", input, on_completion: "keep" }),
});
const assistants = (id: string) => ({
  put: (send: Sender, token: string) =>
    send("POST", "/assistants", { graph_id: "agent", name: `${token} ${id}`, metadata: { of: id } }),
});
const crons = (id: string) => ({
  put: (send: Sender) =>
    send("POST", "/runs/crons", { assistant_id: "agent", schedule: SCHEDULE, metadata: { of: id } }),
});
/** Each item is in its owner's namespace. */
const items = (id: string) => ({
  put: (send: Sender, token: string) =>
    send("PUT", "/store/items", { namespace: [token, id], key: "k", value: { of: id } }),
});

/** Names of assistants that are not the graphs' own. */
const named = (id: string, text: string): string[] =>
  ["ada", "lena"].filter((token) => new RegExp(`${token}[ _]${id}`).test(text));

/** Each list and search, which shows what is Lena's only, because her handlers say so in `value`. */
export const SEARCHES: Record<string, (id: string) => Search> = {
  "POST /threads/search": (id) => ({
    ...threads(id),
    find: async (send) => ownersOf((await send("POST", "/threads/search", { metadata: { of: id } })).json()),
  }),
  "POST /threads/count": (id) => ({
    ...threads(`${id} counted`),
    find: async (send) =>
      counted((await send("POST", "/threads/count", { metadata: { of: `${id} counted` } })).json()),
  }),
  "GET /api/threads": () => ({
    ...chats(),
    find: async (send) => {
      const listed: Json[] = (await send("GET", "/api/threads?limit=1000")).json();
      const own = (await send("POST", "/threads/search", { limit: 1_000 }))
        .json()
        .map((one: Json) => one.thread_id);
      if (listed.length === 0) return [];
      return listed.every((one) => own.includes(one.id)) ? ["lena"] : ["others"];
    },
  }),
  "POST /assistants/search": (id) => ({
    ...assistants(id),
    find: async (send) =>
      ownersOf((await send("POST", "/assistants/search", { metadata: { of: id } })).json()),
  }),
  "POST /assistants/count": (id) => ({
    ...assistants(`${id} counted`),
    find: async (send) =>
      counted((await send("POST", "/assistants/count", { metadata: { of: `${id} counted` } })).json()),
  }),
  "GET /api/assistants": (id) => ({
    ...assistants(id),
    find: async (send) => named(id, (await send("GET", "/api/assistants")).text),
  }),
  "POST /mcp": (id) => ({
    ...assistants(id),
    find: async (send) => named(id, (await send("POST", "/mcp", rpc("tools/list", {}))).text),
  }),
  "POST /a2a/:assistant_id": () => ({
    put: (send) => {
      const message = { messageId: "m", role: "ROLE_USER", parts: [{ data: input }] };
      return send("POST", "/a2a/agent", rpc("SendMessage", { message }));
    },
    find: async (send) => {
      const { tasks } = (await send("POST", "/a2a/agent", rpc("ListTasks", { pageSize: 100 }))).json().result;
      const runs = await Promise.all(
        tasks.map(async ({ id }: Json) => (await send("GET", `/runs/${id}`)).json()),
      );
      return ownersOf(runs);
    },
  }),
  "POST /runs/crons/search": (id) => ({
    ...crons(id),
    find: async (send) =>
      ownersOf((await send("POST", "/runs/crons/search", { metadata: { of: id } })).json()),
  }),
  "POST /runs/crons/count": (id) => ({
    ...crons(`${id} counted`),
    find: async (send) =>
      counted((await send("POST", "/runs/crons/count", { metadata: { of: `${id} counted` } })).json()),
  }),
  "POST /store/items/search": (id) => ({
    ...items(id),
    find: async (send) => {
      const found = (await send("POST", "/store/items/search", { filter: { of: id } })).json();
      return found.items.map(({ value }: Json) => value.owner);
    },
  }),
  "POST /store/namespaces": (id) => ({
    ...items(`${id}-listed`),
    find: async (send) => {
      const { namespaces } = (await send("POST", "/store/namespaces", { limit: 1_000 })).json();
      return [...new Set(namespaces.map(([token]: string[]) => token))] as string[];
    },
  }),
  "GET /threads/:thread_id/runs": () => ({
    ...chats(),
    find: async (send) => {
      const [thread] = (await send("POST", "/threads/search", { limit: 1 })).json();
      return ownersOf((await send("GET", `/threads/${thread.thread_id}/runs`)).json());
    },
  }),
};
