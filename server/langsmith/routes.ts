import type { Clock, Database, Instances } from "@berth/store";
import { NotFound, Sessions, Traces } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { traceIngest } from "../access/index.ts";
import { json, nullable, type Operation, operation, Uuid, workspaceOf } from "../http/index.ts";
import { Ingest } from "./ingest.ts";
import { readRoutes } from "./read-routes.ts";
import { feedbackOf } from "./run-form.ts";
import { runRoutes } from "./run-routes.ts";
import { sessionRoutes } from "./session-routes.ts";
import { type DeploymentOf, shipmentRoutes } from "./shipment-routes.ts";

export type LangsmithDeps = {
  db: Database;
  clock: Clock;
  instances: Pick<Instances, "get">;
  deploymentOf: DeploymentOf;
  maxBodyBytes: number;
};

const tag = "Trace Ingest";
/** What clients compare to know what they may ask for: the newest call less than this outdated. */
const SPEAKS = "0.18.0";
const MOST_IN_BATCH = 100;
/** Room for what is around the runs of a batch. */
const BATCH_SHARE = 0.75;
const MOST_BATCH_BYTES = 20_971_520;

/** Takes traces of programs elsewhere in the form that the `langsmith` clients send, and tells of them in it. */
export function langsmithRoutes({ db, clock, maxBodyBytes, ...deps }: LangsmithDeps): Operation[] {
  const sessions = new Sessions(db, clock);
  const traces = new Traces(db, clock);
  const ingest = new Ingest({ sessions, traces });
  return [
    info(maxBodyBytes),
    ok(),
    ...runRoutes({ ingest, maxBodyBytes }),
    feedback(ingest),
    ...readRoutes(traces),
    ...sessionRoutes(sessions),
    ...shipmentRoutes({ ...deps, sessions, traces, maxBodyBytes }),
  ];
}

const info = (maxBodyBytes: number) =>
  operation(
    {
      method: "GET",
      path: "/langsmith/info",
      access: traceIngest,
      bodyLimit: "none",
      tag,
      summary: "What clients may send",
      answers: {
        200: {
          description: "How to send runs",
          schema: Type.Object({
            version: Type.String(),
            batch_ingest_config: Type.Record(Type.String(), Type.Unknown()),
            instance_flags: Type.Record(Type.String(), Type.Boolean()),
          }),
        },
      },
    },
    () =>
      json({
        version: SPEAKS,
        batch_ingest_config: {
          use_multipart_endpoint: true,
          scale_up_qsize_trigger: 1_000,
          scale_up_nthreads_limit: 4,
          scale_down_nempty_trigger: 4,
          size_limit: MOST_IN_BATCH,
          size_limit_bytes: Math.min(MOST_BATCH_BYTES, Math.floor(maxBodyBytes * BATCH_SHARE)),
        },
        instance_flags: { gzip_body_enabled: true, zstd_compression_enabled: true },
      }),
  );

const ok = () =>
  operation(
    {
      method: "GET",
      path: "/langsmith/ok",
      access: traceIngest,
      bodyLimit: "none",
      tag,
      summary: "Ask whether Berth accepts traces",
      answers: { 200: { description: "They are", schema: Type.Object({ ok: Type.Boolean() }) } },
    },
    () => json({ ok: true }),
  );

const Feedback = Type.Object(
  {
    id: Type.Optional(Uuid),
    run_id: Type.Optional(nullable(Uuid)),
    trace_id: Type.Optional(nullable(Uuid)),
    key: Type.String({ minLength: 1, maxLength: 200 }),
    score: Type.Optional(nullable(Type.Union([Type.Number(), Type.Boolean()]))),
    value: Type.Optional(Type.Unknown()),
    comment: Type.Optional(nullable(Type.String())),
  },
  { additionalProperties: true },
);

const feedback = (ingest: Ingest) =>
  operation(
    {
      method: "POST",
      path: "/langsmith/feedback",
      access: traceIngest,
      bodyLimit: "process",
      tag,
      summary: "Give feedback on a run",
      body: Feedback,
      answers: { 200: { description: "It is kept", schema: Feedback }, 404: "No such run" },
    },
    async ({ body, caller }) => {
      const form = { ...body, id: body.id ?? Bun.randomUUIDv7() };
      if (!feedbackOf(form)) throw new NotFound("Feedback has to name a run, or its trace");
      const { written } = await ingest.feedback(workspaceOf(caller), [form]);
      if (written === 0) throw new NotFound("Run not found");
      return json(form);
    },
  );
