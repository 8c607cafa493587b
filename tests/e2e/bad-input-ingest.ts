import { booleanTexts, limitTexts, noText, noUuid, offsetTexts, type RouteRow } from "./bad-input-wrong.ts";

const id = "01920000-0000-7000-8000-000000000009";

/** What the `langsmith` clients send. Of runs only the id is checked: clients of every age send them. */
export const INGEST_ROUTES: RouteRow[] = [
  { route: "GET /langsmith/info", known: 200 },
  { route: "GET /langsmith/ok", known: 200 },
  { route: "POST /langsmith/runs", body: { id }, wrong: { id: noUuid }, known: 400 },
  { route: "PATCH /langsmith/runs/{run_id}", body: {}, known: 404 },
  { route: "POST /langsmith/runs/batch", known: 422 },
  { route: "POST /langsmith/runs/multipart", known: 400 },
  { route: "GET /langsmith/runs/{run_id}", known: 404 },
  {
    route: "POST /langsmith/runs/query",
    body: { limit: 1 },
    wrong: {
      session: ["all", {}, noUuid],
      id: ["all", {}, noUuid],
      trace: noUuid,
      parent_run: noUuid,
      limit: [0, -1, 1.5, "many"],
      order: ["up"],
      filter: [5, {}],
      trace_filter: [5, {}],
      tree_filter: [5, {}],
      query: [5, {}],
      cursor: [5, {}],
      run_type: [5, {}],
      is_root: ["maybe", 7, {}],
      error: ["maybe", 7, {}],
      start_time: ["yesterday", {}],
      end_time: ["yesterday", {}],
      reference_example: ["all", {}, noUuid],
      select: ["name", {}],
    },
    known: 200,
  },
  {
    route: "GET /langsmith/feedback",
    query: { limit: [...limitTexts, "101"], offset: offsetTexts, run: ["no-id"], key: [] },
    known: 200,
  },
  {
    route: "POST /langsmith/feedback",
    body: { key: "liked" },
    wrong: {
      id: noUuid,
      run_id: noUuid,
      trace_id: noUuid,
      key: [...noText, ""],
      score: ["good", {}, []],
      value: [],
      comment: noText,
    },
    known: 404,
  },
  {
    route: "GET /langsmith/sessions",
    query: { limit: [...limitTexts, "101"], offset: offsetTexts, name: [], name_contains: [] },
    known: 200,
  },
  { route: "GET /langsmith/sessions/{session_id}", known: 404 },
  {
    route: "POST /langsmith/sessions",
    // A name of its own would make a project.
    body: { name: " " },
    wrong: { name: [...noText, ""] },
    query: { upsert: booleanTexts },
    known: 400,
  },
];
