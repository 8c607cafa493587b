import { Conflict } from "@berth/store";
import { missingThread } from "./guard.ts";
import { type Ask, rule } from "./permit.ts";

const onThread =
  (action: string): Ask =>
  async (guard, { path }) => {
    await guard.thread(path.thread_id ?? "", action);
    return {};
  };

/** Where a missing thread is no error, a foreign one is none either. */
const onThreadIfAny =
  (action: string): Ask =>
  async (guard, { path }) => {
    const { access } = await guard.threadAccess(path.thread_id ?? "", action);
    return { isForeign: access === "foreign" };
  };

const create: Ask = async (guard, { body }) => {
  const { thread_id, if_exists } = body;
  const id = typeof thread_id === "string" ? thread_id.toLowerCase() : undefined;
  body.metadata = await guard.newThread(id, body.metadata, { if_exists });
  return {};
};

const search: Ask = async (guard, { body, query }) => {
  const { metadata, values, status, limit = query.limit, offset = query.offset } = body;
  const { seen, fields } = await guard.decide("threads", "search", {
    fields: { metadata, values, status, limit, offset },
  });
  Object.assign(body, fields);
  return { seen };
};

/** A list whose request has no filter. */
const list: Ask = async (guard) => ({ seen: await guard.listed("threads") });

const patch: Ask = async (guard, { path, body }) => {
  const { metadata } = body;
  Object.assign(body, await guard.thread(path.thread_id ?? "", "update", { fields: { metadata } }));
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
  const ids = (body.thread_ids as string[]).map((id) => id.toLowerCase());
  body.thread_ids = await guard.threads(ids, action);
  return {};
};

/** The app writes the first state of a thread that does not exist yet. */
const bootstrap: Ask = async (guard, { path }) => {
  const threadId = path.thread_id ?? "";
  const { access } = await guard.threadAccess(threadId, "update");
  if (access === "foreign") throw missingThread(threadId);
  return { metadata: await guard.newThread(threadId, undefined) };
};

/** What operations on threads ask. */
export const threadRules = {
  create: rule("threads", "create", create),
  search: rule("threads", "search", search),
  prune: rule("threads", "delete", prune),
  list: rule("threads", "search", list),
  read: rule("threads", "read", onThread("read")),
  follow: rule("threads", "read", onThreadIfAny("read")),
  update: rule("threads", "update", onThread("update")),
  patch: rule("threads", "update", patch),
  remove: rule("threads", "delete", onThread("delete")),
  discard: rule("threads", "delete", onThreadIfAny("delete")),
  copy: rule("threads", "read", copy),
  bootstrap: rule("threads", "update", bootstrap),
};
