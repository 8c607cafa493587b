import type { FoundItem, Items } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { agentServer } from "../access/index.ts";
import { namespaceLabels, storeRules } from "../authorization/index.ts";
import {
  BOUNDED,
  BoundedDictionary,
  countingField,
  Dictionary,
  empty,
  json,
  jsonList,
  limitField,
  nullable,
  type Operation,
  offsetField,
  operation,
  text,
} from "../http/index.ts";
import { FoundItems, ShownItem, ShownNamespaces, shownFoundItem, shownItem } from "./wire/index.ts";

type StoreRoutesDeps = { items: Items };

const tag = "Store";

// In a query an empty text is as good as none.
const Key = text({ minLength: 1 });
/** Graphs may have stored one that is empty. */
const AnyKey = text();
const Label = text({
  pattern: "^[^.\\0]+$",
  description: "Neither empty nor with a dot in it.",
});
const Namespace = Type.Array(Label, BOUNDED);
const RefreshTtl = Type.Optional(
  nullable(Type.Boolean({ description: "Whether reading an item restarts its ttl." })),
);
const refreshing = (wish: boolean | null | undefined) => ({ refresh_ttl: wish ?? undefined });

/** `/store`: the long-term memory that graphs share (`agent-server.md` §11). */
export const storeRoutes = (deps: StoreRoutesDeps): Operation[] => [
  putItem(deps),
  getItem(deps),
  deleteItem(deps),
  searchItems(deps),
  listNamespaces(deps),
];

const putItem = ({ items }: StoreRoutesDeps) =>
  operation(
    {
      method: "PUT",
      path: "/store/items",
      access: agentServer(storeRules.put),
      bodyLimit: "process",
      tag,
      summary: "Store an item",
      description:
        "Replaces the item that the key has. `index` says which parts of the value a search by meaning uses: paths such as " +
        "`text`, `parts[*].text` or `$`, or false for nothing. Without it, `store.index.fields` of the project " +
        "decides. With `ttl` null, the item stays.",
      body: Type.Object({
        namespace: Namespace,
        key: Key,
        value: Dictionary,
        index: Type.Optional(
          Type.Union([Type.Literal(false), Type.Array(Type.String(), { maxItems: 100 }), Type.Null()]),
        ),
        ttl: Type.Optional(nullable(Type.Number({ exclusiveMinimum: 0, description: "Minutes." }))),
      }),
      answers: {
        204: "Stored",
        400: "The namespace is empty, or the value has too many indexed texts",
        503: "The embedding model does not answer",
      },
    },
    async ({ body: { namespace, key, value, ttl, index } }) => {
      await items.put({ namespace, key, value, ttl_minutes: ttl, index });
      return empty();
    },
  );

const getItem = ({ items }: StoreRoutesDeps) =>
  operation(
    {
      method: "GET",
      path: "/store/items",
      access: agentServer(storeRules.get),
      bodyLimit: "none",
      tag,
      summary: "Get an item",
      query: Type.Object({
        key: Key,
        namespace: Type.Optional(
          Type.Array(Type.String({ pattern: "^[^.\\0]+(\\.[^.\\0]+)*$" }), {
            description: "Labels joined by dots, or repeated.",
          }),
        ),
        refresh_ttl: RefreshTtl,
      }),
      answers: { 200: { description: "The item, or null when there is none", schema: nullable(ShownItem) } },
    },
    async ({ query: { key, namespace, refresh_ttl }, permit }) => {
      if (permit.isForeign) return json(null);
      const labels = permit.namespace ?? namespaceLabels(namespace);
      const item = await items.get(labels, key, refreshing(refresh_ttl));
      return json(item && shownItem(item));
    },
  );

const deleteItem = ({ items }: StoreRoutesDeps) =>
  operation(
    {
      method: "DELETE",
      path: "/store/items",
      access: agentServer(storeRules.remove),
      bodyLimit: "process",
      tag,
      summary: "Delete an item",
      description: "If the key has no item, nothing happens, and that is no error.",
      body: Type.Object({ namespace: Type.Optional(nullable(Namespace)), key: AnyKey }),
      answers: { 204: "Deleted" },
    },
    async ({ body: { namespace, key }, permit }) => {
      if (!permit.isForeign) await items.delete(namespace ?? [], key);
      return empty();
    },
  );

const searchItems = ({ items }: StoreRoutesDeps) =>
  operation(
    {
      method: "POST",
      path: "/store/items/search",
      access: agentServer(storeRules.search),
      bodyLimit: "small",
      tag,
      summary: "Search items",
      description:
        "The items below a namespace, last changed first. With `query`, if the project has an embedding model: the " +
        "nearest first, each with a `score`, and after them the items without an index. `filter` compares fields of " +
        "the value: with a plain value, or with `$eq $ne $gt $gte $lt $lte $in $nin`.",
      body: Type.Object({
        namespace_prefix: Type.Optional(nullable(Namespace)),
        filter: Type.Optional(nullable(BoundedDictionary)),
        limit: limitField({ default: 10, maximum: 1000 }),
        offset: offsetField(),
        query: Type.Optional(nullable(Type.String({ maxLength: 100_000 }))),
        refresh_ttl: RefreshTtl,
      }),
      answers: {
        200: { description: "The page", schema: FoundItems },
        400: "Too many items are indexed below the namespace",
        503: "The embedding model does not answer",
      },
    },
    async (input) => {
      const { namespace_prefix, filter, query, limit, offset, refresh_ttl } = input.body;
      const search = { prefix: namespace_prefix ?? [], filter: filter ?? undefined, limit, offset };
      const asked = {
        ...search,
        permitted: input.permit.seen,
        query: query ?? undefined,
        ...refreshing(refresh_ttl),
      };
      const textOf = (item: FoundItem) => JSON.stringify(shownFoundItem(item));
      return jsonList(input, items.searchInGroups(asked), textOf, { around: ['{"items":', "}"] });
    },
  );

const listNamespaces = ({ items }: StoreRoutesDeps) =>
  operation(
    {
      method: "POST",
      path: "/store/namespaces",
      access: agentServer(storeRules.listNamespaces),
      bodyLimit: "small",
      tag,
      summary: "List namespaces",
      description:
        "The namespaces that hold items, in order. `*` in `prefix` and `suffix` stands for any one label.",
      body: Type.Object({
        prefix: Type.Optional(nullable(Namespace)),
        suffix: Type.Optional(nullable(Namespace)),
        max_depth: Type.Optional(nullable(countingField())),
        limit: limitField({ default: 100, maximum: 1000 }),
        offset: offsetField(),
      }),
      answers: { 200: { description: "The page", schema: ShownNamespaces } },
    },
    async ({ body: { prefix, suffix, max_depth, limit, offset }, permit }) => {
      const search = {
        prefix: prefix ?? undefined,
        suffix: suffix ?? undefined,
        max_depth: max_depth ?? undefined,
        permitted: permit.seen,
      };
      return json({ namespaces: await items.listNamespaces({ ...search, limit, offset }) });
    },
  );
