import type { HandlerValues } from "./guard.ts";
import { type Ask, rule } from "./permit.ts";

const onAssistant =
  (action: string): Ask =>
  async (guard, { path }) => {
    await guard.assistant(path.assistant_id ?? "", action);
    return {};
  };

const read = onAssistant("read");

const create: Ask = async (guard, { body }) => {
  body.metadata = await guard.newAssistant(body);
  return {};
};

const search: Ask = async (guard, { body }) => {
  const { graph_id, limit, offset } = body;
  const value: HandlerValues = { graph_id, metadata: body.metadata ?? {}, limit, offset };
  const seen = await guard.ask("assistants", "search", value);
  body.metadata = value.metadata;
  return { seen };
};

/** The graphs' own are there in any case. */
const find: Ask = async (guard) => ({ seen: await guard.ask("assistants", "search", { metadata: {} }) });

const update: Ask = async (guard, { path, body }) => {
  const more = { ...body, metadata: { ...(body.metadata as HandlerValues | null | undefined) } };
  const value = await guard.assistant(path.assistant_id ?? "", "update", more);
  if (Object.keys(value.metadata as HandlerValues).length > 0) body.metadata = value.metadata;
  return {};
};

/** `seen` is about the threads that go with it. */
const remove: Ask = async (guard, { path, query }) => {
  await guard.assistant(path.assistant_id ?? "", "delete");
  if (query.delete_threads !== true) return {};
  return { seen: await guard.ask("threads", "delete", {}) };
};

/** What operations on assistants ask. */
export const assistantRules = {
  create: rule("assistants", "create", create),
  search: rule("assistants", "search", search),
  find: rule("assistants", "search", find),
  read: rule("assistants", "read", read),
  update: rule("assistants", "update", update),
  remove: rule("assistants", "delete", remove),
  promote: rule("assistants", "update", onAssistant("update")),
};

const put: Ask = async (guard, { body }) => {
  body.namespace = await guard.item("put", item(body));
  return {};
};

const getItem: Ask = async (guard, { query }) => {
  const labels = ((query.namespace ?? []) as string[]).flatMap((text) => text.split("."));
  query.namespace = await guard.item("get", { namespace: labels, key: String(query.key) });
  return {};
};

const deleteItem: Ask = async (guard, { body }) => {
  body.namespace = await guard.item("delete", item(body));
  return {};
};

const searchItems: Ask = async (guard, { body }) => {
  const { namespace_prefix, filter, limit, offset, query } = body;
  const value: HandlerValues = {
    namespace: namespace_prefix ?? [],
    filter: filter ?? {},
    limit,
    offset,
    query,
  };
  const seen = await guard.ask("store", "search", value);
  body.namespace_prefix = value.namespace;
  body.filter = value.filter;
  return { seen };
};

const listNamespaces: Ask = async (guard, { body }) => {
  const { prefix, suffix, max_depth, limit, offset } = body;
  const value: HandlerValues = { namespace: prefix ?? [], suffix, max_depth, limit, offset };
  const seen = await guard.ask("store", "list_namespaces", value);
  body.prefix = value.namespace;
  return { seen };
};

function item(body: HandlerValues) {
  return { namespace: (body.namespace ?? []) as string[], key: String(body.key), value: body.value };
}

/** What operations on the store ask. */
export const storeRules = {
  put: rule("store", "put", put),
  get: rule("store", "get", getItem),
  remove: rule("store", "delete", deleteItem),
  search: rule("store", "search", searchItems),
  listNamespaces: rule("store", "list_namespaces", listNamespaces),
};
