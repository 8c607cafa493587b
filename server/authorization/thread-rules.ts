import { Conflict } from "@berth/store";
import type { Values } from "./guard.ts";
import type { Asked, Rule } from "./permit.ts";

const onThread =
  (action: string, more: (asked: Asked) => Values = () => ({})): Rule =>
  async (guard, asked) => {
    await guard.thread(asked.path.thread_id ?? "", action, more(asked));
    return {};
  };

const read = onThread("read");
const update = onThread("update");

const create: Rule = async (guard, { body }) => {
  const { thread_id, if_exists } = body;
  const id = typeof thread_id === "string" ? thread_id : undefined;
  body.metadata = await guard.newThread(id, body.metadata, { if_exists });
  return {};
};

const search: Rule = async (guard, { body, query }) => {
  const { metadata, values, status, limit = query.limit, offset = query.offset } = body;
  const value: Values = { metadata: metadata ?? {}, values, status, limit, offset };
  const seen = await guard.ask("threads", "search", value);
  body.metadata = value.metadata;
  return { seen };
};

const patch: Rule = async (guard, { path, body }) => {
  const more = { metadata: { ...(body.metadata as Values | null | undefined) } };
  await guard.thread(path.thread_id ?? "", "update", more);
  if (Object.keys(more.metadata).length > 0) body.metadata = more.metadata;
  return {};
};

const copy: Rule = async (guard, { path }) => {
  const source = path.thread_id ?? "";
  const kept = await guard.threads([source], "read");
  const metadata = await guard.newThread(undefined, {});
  // In the words and at the moment in which one that does not exist is told of, which is a conflict here.
  if (kept.length === 0) throw new Conflict(`Thread with ID ${source} not found`);
  return { metadata };
};

const prune: Rule = async (guard, { body }) => {
  const action = body.strategy === "keep_latest" ? "update" : "delete";
  body.thread_ids = await guard.threads(body.thread_ids as string[], action);
  return {};
};

/** The app writes the first state of a thread that does not exist yet. */
const bootstrap: Rule = async (guard, { path }) => {
  const threadId = path.thread_id ?? "";
  await guard.thread(threadId, "update");
  return { metadata: await guard.newThread(threadId, {}) };
};

/** What each route of threads asks, by method and path. */
export const threadRules: Record<string, Rule> = {
  "POST /threads": create,
  "POST /threads/search": search,
  "POST /threads/count": search,
  "POST /threads/prune": prune,
  "GET /threads/:thread_id": read,
  "PATCH /threads/:thread_id": patch,
  "DELETE /threads/:thread_id": onThread("delete"),
  "POST /threads/:thread_id/copy": copy,
  "GET /threads/:thread_id/storage": read,
  "GET /threads/:thread_id/state": read,
  "POST /threads/:thread_id/state": update,
  "PATCH /threads/:thread_id/state": patch,
  "GET /threads/:thread_id/state/:checkpoint_id": read,
  "POST /threads/:thread_id/state/checkpoint": read,
  "GET /threads/:thread_id/history": read,
  "POST /threads/:thread_id/history": read,
  "GET /threads/:thread_id/stream": read,
  "POST /threads/:thread_id/stream": read,
  "GET /threads/:thread_id/stream/events": read,
  "POST /threads/:thread_id/stream/events": read,
  "GET /api/threads": search,
  "PATCH /api/threads/:thread_id": update,
  "DELETE /api/threads/:thread_id": onThread("delete"),
  "GET /api/threads/:thread_id/state": read,
  "POST /api/threads/:thread_id/state": bootstrap,
  "POST /api/threads/:thread_id/history": read,
  "GET /api/threads/:thread_id/stream": read,
  "POST /api/threads/:thread_id/stream": read,
  "GET /api/threads/:thread_id/stream/events": read,
  "POST /api/threads/:thread_id/stream/events": read,
  "GET /api/threads/:thread_id/feedback": read,
  "PUT /api/threads/:thread_id/runs/:run_id/feedback": update,
  "POST /api/threads/:thread_id/runs/:run_id/feedback/:key": update,
};
