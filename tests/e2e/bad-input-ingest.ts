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
