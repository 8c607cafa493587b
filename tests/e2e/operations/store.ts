import { expect } from "bun:test";
import type { OperationRow } from "./operation-row.ts";

const item = { namespace: ["operations"], key: "k", value: { a: 1 } };
const dots = { namespace: ["with.dot"], key: "k" };
const faults = { status: 422, shape: { detail: [{ loc: expect.any(Array) }] } };

/** In this order: the first writes what the others read and the last deletes. */
export const storeOperations: OperationRow[] = [
  {
    route: "PUT /store/items",
    good: () => ({ body: { ...item, ttl: 60, index: false } }),
    answers: { status: 204 },
    bad: () => ({ body: { ...item, namespace: [] } }),
    refuses: { status: 400 },
  },
  {
    route: "GET /store/items",
    good: () => ({ query: "?namespace=operations&key=k&refresh_ttl=false" }),
    answers: { status: 200, shape: { ...item, created_at: expect.any(String) } },
    bad: () => ({ query: "?namespace=operations" }),
    refuses: faults,
  },
  {
    route: "POST /store/items/search",
    good: () => ({ body: { namespace_prefix: ["operations"], filter: { a: { $gte: 1 } } } }),
    answers: { status: 200, shape: { items: [item] } },
    bad: () => ({ body: { limit: 0 } }),
    refuses: faults,
  },
  {
    route: "POST /store/namespaces",
    good: () => ({ body: { prefix: ["operations"], max_depth: 1 } }),
    answers: { status: 200, shape: { namespaces: [["operations"]] } },
    bad: () => ({ body: { max_depth: 0 } }),
    refuses: faults,
  },
  {
    route: "DELETE /store/items",
    good: () => ({ body: { namespace: item.namespace, key: item.key } }),
    answers: { status: 204 },
    bad: () => ({ body: dots }),
    refuses: faults,
  },
];
