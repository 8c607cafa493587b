import { expect } from "bun:test";
import type { OperationRow } from "./operation-row.ts";

const faults = { status: 422, shape: { detail: [{ loc: expect.any(Array) }] } };
const wrongMethod = { status: 405, shape: { detail: expect.any(String) } };

/** What is read only is refused for the method. */
export const systemOperations: OperationRow[] = [
  {
    route: "GET /ok",
    good: () => ({ query: "?check_db=1" }),
    answers: { status: 200, shape: { ok: true } },
    bad: () => ({ query: "?check_db=maybe" }),
    refuses: faults,
  },
  {
    route: "GET /info",
    answers: {
      status: 200,
      shape: { version: expect.any(String), flags: { assistants: true, crons: true }, metadata: {} },
    },
    bad: () => ({ method: "PUT" }),
    refuses: wrongMethod,
  },
  {
    route: "GET /metrics",
    good: () => ({ query: "?format=json" }),
    answers: { status: 200, shape: {} },
    bad: () => ({ query: "?format=xml" }),
    refuses: faults,
  },
  {
    route: "GET /docs",
    answers: { status: 200, shape: "<html" },
    bad: () => ({ method: "PUT" }),
    refuses: wrongMethod,
  },
  {
    route: "GET /openapi.json",
    answers: { status: 200, shape: { openapi: expect.any(String), paths: {} } },
    bad: () => ({ method: "PUT" }),
    refuses: wrongMethod,
  },
  {
    route: "GET /",
    answers: { status: 200, shape: "<html" },
    bad: () => ({ method: "PUT" }),
    refuses: wrongMethod,
  },
  {
    route: "POST /internal/truncate",
    good: () => ({ body: { store: true } }),
    answers: { status: 200, shape: { ok: true } },
    bad: () => ({ body: { store: "all of it" } }),
    refuses: faults,
  },
  {
    route: "POST /ui/{graph}",
    components: true,
    good: () => ({ path: { graph: "headers" }, body: { name: "card" } }),
    answers: { status: 200, shape: "<script" },
    bad: () => ({ body: { name: "card" } }),
  },
  {
    route: "GET /ui/{graph}/{file}",
    components: true,
    good: () => ({ path: { graph: "headers", file: "entrypoint.js" } }),
    answers: { status: 200, shape: "LGUI_REQUIRE" },
  },
];
