import { expect } from "bun:test";
import { IN_PYTHON } from "../berth-process.ts";
import type { OperationRow } from "./operation-row.ts";

const assistant = {
  assistant_id: expect.any(String),
  graph_id: "nested",
  config: {},
  context: {},
  metadata: {},
  name: expect.any(String),
  version: expect.any(Number),
};
const faults = { status: 422, shape: { detail: [{ loc: expect.any(Array) }] } };

export const assistantOperations: OperationRow[] = [
  {
    route: "POST /assistants",
    good: () => ({ body: { graph_id: "nested" } }),
    answers: { status: 200, shape: { ...assistant, version: 1, name: "Untitled" } },
    bad: () => ({ body: { graph_id: "no such graph" } }),
  },
  {
    route: "POST /assistants/search",
    good: () => ({ body: { graph_id: "nested", limit: 1, sort_by: "name" } }),
    answers: { status: 200, shape: [assistant] },
    bad: () => ({ body: { limit: 0 } }),
    refuses: faults,
  },
  {
    route: "POST /assistants/count",
    good: () => ({ body: { graph_id: "nested" } }),
    answers: { status: 200, shape: expect.any(Number) },
    bad: () => ({ body: { metadata: [] } }),
    refuses: faults,
  },
  { route: "GET /assistants/{assistant_id}", answers: { status: 200, shape: assistant } },
  {
    route: "PATCH /assistants/{assistant_id}",
    good: () => ({ body: { metadata: { a: 1 } } }),
    answers: { status: 200, shape: { graph_id: "nested", metadata: { a: 1 }, version: 2 } },
    bad: () => ({ body: {} }),
  },
  {
    route: "DELETE /assistants/{assistant_id}",
    good: async ({ url }) => {
      const made = await fetch(`${url}/assistants`, { method: "POST", body: '{"graph_id":"nested"}' });
      const { assistant_id } = (await made.json()) as { assistant_id: string };
      return { path: { assistant_id }, query: "?delete_threads=true" };
    },
    answers: { status: 200, shape: [expect.any(String)] },
  },
  {
    route: "GET /assistants/{assistant_id}/graph",
    good: () => ({ query: "?xray=1" }),
    answers: {
      status: 200,
      shape: {
        nodes: expect.arrayContaining([
          expect.objectContaining({ id: "__start__", type: IN_PYTHON ? "runnable" : "schema" }),
          expect.objectContaining({ id: "gp_two:p_two", type: "runnable" }),
        ]),
        edges: expect.arrayContaining([
          expect.objectContaining({ source: "gp_two:p_one", target: "gp_two:p_two" }),
        ]),
      },
    },
  },
  {
    route: "GET /assistants/{assistant_id}/subgraphs",
    good: () => ({ query: "?recurse=true" }),
    answers: { status: 200, shape: { gp_two: { state_schema: {} }, "gp_two|p_two": { state: {} } } },
  },
  {
    route: "GET /assistants/{assistant_id}/subgraphs/{namespace}",
    answers: { status: 200, shape: { gp_two: { input_schema: {}, output_schema: {} } } },
  },
  {
    route: "GET /assistants/{assistant_id}/schemas",
    answers: {
      status: 200,
      shape: { graph_id: "nested", input_schema: {}, output_schema: {}, state_schema: {} },
    },
  },
  {
    route: "POST /assistants/{assistant_id}/versions",
    good: () => ({ body: { limit: 1 } }),
    answers: { status: 200, shape: [{ graph_id: "nested" }] },
    bad: () => ({ body: {} }),
  },
  {
    route: "POST /assistants/{assistant_id}/latest",
    good: () => ({ body: { version: 1 } }),
    answers: { status: 200, shape: { version: 1 } },
    bad: () => ({ body: { version: 1 } }),
  },
];
