import { NotFound } from "@berth/store";
import type { HandlerValues } from "./handler-values.ts";
import { type Ask, rule } from "./permit.ts";

const onAssistant =
  (action: string): Ask =>
  async (guard, { path }) => {
    await guard.assistant(path.assistant_id ?? "", action);
    return {};
  };

const read = onAssistant("read");

const create: Ask = async (guard, { body }) => {
  const { assistant_id, if_exists, ...fields } = body;
  const asked = { metadata: undefined, ...fields };
  const id = typeof assistant_id === "string" ? assistant_id.toLowerCase() : undefined;
  Object.assign(body, await guard.newAssistant(id, { if_exists }, asked));
  return {};
};

const search: Ask = async (guard, { body }) => {
  const { graph_id, metadata, limit, offset } = body;
  const { seen, fields } = await guard.decide("assistants", "search", {
    fields: { graph_id, metadata, limit, offset },
  });
  Object.assign(body, fields);
  return { seen };
};

/** The graphs' own are there in any case. */
const find: Ask = async (guard) => ({ seen: await guard.listed("assistants") });

const update: Ask = async (guard, { path, body }) => {
  const fields = { metadata: undefined, ...body };
  Object.assign(body, await guard.assistant(path.assistant_id ?? "", "update", fields));
  return {};
};

/** `seen` is about the threads that go with it. */
const remove: Ask = async (guard, { path, query }) => {
  await guard.assistant(path.assistant_id ?? "", "delete");
  if (query.delete_threads !== true) return {};
  return { seen: (await guard.decide("threads", "delete", {})).seen };
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

/** The key of a foreign item is taken, as an id is. */
const put: Ask = async (guard, { body }) => {
  const { access, fields } = await guard.item("put", itemOf(body));
  if (access === "foreign") throw new NotFound("Item not found");
  Object.assign(body, fields);
  return {};
};

const getItem: Ask = async (guard, { query }) => {
  const asked = {
    namespace: namespaceLabels(query.namespace as string[] | undefined),
    key: String(query.key),
  };
  const { access, fields } = await guard.item("get", asked);
  const { namespace, key } = fields as { namespace: string[]; key: string };
  query.key = key;
  return { isForeign: access === "foreign", namespace };
};

/** Returns the labels of a namespace in a query, where one text can hold several, joined by dots. */
export const namespaceLabels = (texts: string[] = []): string[] => texts.flatMap((text) => text.split("."));

const deleteItem: Ask = async (guard, { body }) => {
  const { namespace, key } = itemOf(body);
  const { access, fields } = await guard.item("delete", { namespace, key });
  Object.assign(body, fields);
  return { isForeign: access === "foreign" };
};

const searchItems: Ask = async (guard, { body }) => {
  const { namespace_prefix, filter, limit, offset, query } = body;
  const asked = { namespace: namespace_prefix ?? [], filter: filter ?? {}, limit, offset, query };
  const { seen, fields } = await guard.decide("store", "search", { fields: asked });
  const { namespace, ...rest } = fields;
  Object.assign(body, rest, { namespace_prefix: namespace });
  return { seen };
};

const listNamespaces: Ask = async (guard, { body }) => {
  const { prefix, suffix, max_depth, limit, offset } = body;
  const asked = { namespace: prefix ?? [], suffix, max_depth, limit, offset };
  const { seen, fields } = await guard.decide("store", "list_namespaces", { fields: asked });
  const { namespace, ...rest } = fields;
  Object.assign(body, rest, { prefix: namespace });
  return { seen };
};

function itemOf({ namespace, key, value }: HandlerValues) {
  return { namespace: namespace ?? [], key: String(key), value };
}

/** What operations on the store ask. */
export const storeRules = {
  put: rule("store", "put", put),
  get: rule("store", "get", getItem),
  remove: rule("store", "delete", deleteItem),
  search: rule("store", "search", searchItems),
  listNamespaces: rule("store", "list_namespaces", listNamespaces),
};
