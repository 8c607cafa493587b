import { Conflict } from "@berth/store";
import type { HandlerValues } from "./guard.ts";
import { type Ask, type GuardedRequest, rule } from "./permit.ts";

const onThread =
  (action: string, more: (asked: GuardedRequest) => HandlerValues = () => ({})): Ask =>
  async (guard, asked) => {
    await guard.thread(asked.path.thread_id ?? "", action, more(asked));
    return {};
  };

const read = onThread("read");
const update = onThread("update");

const create: Ask = async (guard, { body }) => {
  const { thread_id, if_exists } = body;
  const id = typeof thread_id === "string" ? thread_id : undefined;
  body.metadata = await guard.newThread(id, body.metadata, { if_exists });
  return {};
};

const search: Ask = async (guard, { body, query }) => {
  const { metadata, values, status, limit = query.limit, offset = query.offset } = body;
  const value: HandlerValues = { metadata: metadata ?? {}, values, status, limit, offset };
  const seen = await guard.ask("threads", "search", value);
  body.metadata = value.metadata;
  return { seen };
};

const patch: Ask = async (guard, { path, body }) => {
  const more = { metadata: { ...(body.metadata as HandlerValues | null | undefined) } };
  await guard.thread(path.thread_id ?? "", "update", more);
  if (Object.keys(more.metadata).length > 0) body.metadata = more.metadata;
  return {};
};

const copy: Ask = async (guard, { path }) => {
  const source = path.thread_id ?? "";
  const kept = await guard.threads([source], "read");
  const metadata = await guard.newThread(undefined, {});
  // In the words and at the moment in which one that does not exist is told of, which is a conflict here.
  if (kept.length === 0) throw new Conflict(`Thread with ID ${source} not found`);
  return { metadata };
};

const prune: Ask = async (guard, { body }) => {
  const action = body.strategy === "keep_latest" ? "update" : "delete";
  body.thread_ids = await guard.threads(body.thread_ids as string[], action);
  return {};
};

/** The app writes the first state of a thread that does not exist yet. */
const bootstrap: Ask = async (guard, { path }) => {
  const threadId = path.thread_id ?? "";
  await guard.thread(threadId, "update");
  return { metadata: await guard.newThread(threadId, {}) };
};

/** What operations on threads ask. */
export const threadRules = {
  create: rule("threads", "create", create),
  search: rule("threads", "search", search),
  prune: rule("threads", "delete", prune),
  read: rule("threads", "read", read),
  update: rule("threads", "update", update),
  patch: rule("threads", "update", patch),
  remove: rule("threads", "delete", onThread("delete")),
  copy: rule("threads", "read", copy),
  bootstrap: rule("threads", "update", bootstrap),
};
