import {
  booleanTexts,
  noBoolean,
  noLimit,
  noList,
  noObject,
  noOffset,
  noStoredText,
  noText,
  type RouteRow,
} from "./bad-input-wrong.ts";

const labels = [...noList, [1], [""], ["with.dot"]];

/** The routes of the store. */
export const STORE_ROUTES: RouteRow[] = [
  {
    route: "PUT /store/items",
    body: { namespace: [], key: "k", value: {} },
    wrong: {
      namespace: labels,
      key: [...noStoredText, ""],
      value: noObject,
      index: ["yes", 1, true, {}, [1]],
      ttl: ["long", 0, -1, {}],
    },
    known: 400,
  },
  {
    route: "GET /store/items",
    query: { key: [], namespace: ["a..b", "."], refresh_ttl: booleanTexts },
    known: 422,
  },
  {
    route: "DELETE /store/items",
    body: { key: "nobody's" },
    wrong: { namespace: labels, key: noStoredText },
    known: 204,
  },
  {
    route: "POST /store/items/search",
    body: {},
    wrong: {
      namespace_prefix: labels,
      filter: noObject,
      limit: noLimit,
      offset: noOffset,
      query: noText,
      refresh_ttl: noBoolean,
    },
    known: 200,
  },
  {
    route: "POST /store/namespaces",
    body: {},
    wrong: {
      prefix: labels,
      suffix: labels,
      max_depth: ["deep", 0, 1.5, 1e300],
      limit: noLimit,
      offset: noOffset,
    },
    known: 200,
  },
];
