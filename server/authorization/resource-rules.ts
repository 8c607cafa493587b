import type { Values } from "./guard.ts";
import type { Rule } from "./permit.ts";

const onAssistant =
  (action: string): Rule =>
  async (guard, { path }) => {
    await guard.assistant(path.assistant_id ?? "", action);
    return {};
  };

const read = onAssistant("read");

const create: Rule = async (guard, { body }) => {
  body.metadata = await guard.newAssistant(body);
  return {};
};

const search: Rule = async (guard, { body }) => {
  const { graph_id, limit, offset } = body;
  const value: Values = { graph_id, metadata: body.metadata ?? {}, limit, offset };
  const seen = await guard.ask("assistants", "search", value);
  body.metadata = value.metadata;
  return { seen };
};

/** The graphs' own are there in any case. */
const find: Rule = async (guard) => ({ seen: await guard.ask("assistants", "search", { metadata: {} }) });

const update: Rule = async (guard, { path, body }) => {
  const more = { ...body, metadata: { ...(body.metadata as Values | null | undefined) } };
  const value = await guard.assistant(path.assistant_id ?? "", "update", more);
  if (Object.keys(value.metadata as Values).length > 0) body.metadata = value.metadata;
  return {};
};

/** `seen` is about the threads that go with it. */
const remove: Rule = async (guard, { path, query }) => {
  await guard.assistant(path.assistant_id ?? "", "delete");
  if (query.delete_threads !== true) return {};
  return { seen: await guard.ask("threads", "delete", {}) };
};

export const assistantRules: Record<string, Rule> = {
  "POST /assistants": create,
  "POST /assistants/search": search,
  "POST /assistants/count": search,
  "GET /api/assistants": find,
  "GET /assistants/:assistant_id": read,
  "PATCH /assistants/:assistant_id": update,
  "DELETE /assistants/:assistant_id": remove,
  "GET /assistants/:assistant_id/graph": read,
  "GET /assistants/:assistant_id/subgraphs": read,
  "GET /assistants/:assistant_id/subgraphs/:namespace": read,
  "GET /assistants/:assistant_id/schemas": read,
  "POST /assistants/:assistant_id/versions": read,
  "POST /assistants/:assistant_id/latest": onAssistant("update"),
};

const put: Rule = async (guard, { body }) => {
  body.namespace = await guard.item("put", item(body));
  return {};
};

const getItem: Rule = async (guard, { query }) => {
  const labels = ((query.namespace ?? []) as string[]).flatMap((text) => text.split("."));
  query.namespace = await guard.item("get", { namespace: labels, key: String(query.key) });
  return {};
};

const deleteItem: Rule = async (guard, { body }) => {
  body.namespace = await guard.item("delete", item(body));
  return {};
};

const searchItems: Rule = async (guard, { body }) => {
  const { namespace_prefix, filter, limit, offset, query } = body;
  const value: Values = { namespace: namespace_prefix ?? [], filter: filter ?? {}, limit, offset, query };
  const seen = await guard.ask("store", "search", value);
  body.namespace_prefix = value.namespace;
  body.filter = value.filter;
  return { seen };
};

const listNamespaces: Rule = async (guard, { body }) => {
  const { prefix, suffix, max_depth, limit, offset } = body;
  const value: Values = { namespace: prefix ?? [], suffix, max_depth, limit, offset };
  const seen = await guard.ask("store", "list_namespaces", value);
  body.prefix = value.namespace;
  return { seen };
};

function item(body: Values) {
  return { namespace: (body.namespace ?? []) as string[], key: String(body.key), value: body.value };
}

export const storeRules: Record<string, Rule> = {
  "PUT /store/items": put,
  "GET /store/items": getItem,
  "DELETE /store/items": deleteItem,
  "POST /store/items/search": searchItems,
  "POST /store/namespaces": listNamespaces,
};
