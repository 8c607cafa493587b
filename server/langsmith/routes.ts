import type { Clock, Database, Instances } from "@berth/store";
import { NotFound, Sessions, Traces } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { byInstanceToken, traceIngest } from "../access/index.ts";
import { json, nullable, type Operation, operation, Uuid, workspaceOf } from "../http/index.ts";
import { Ingest } from "./ingest.ts";
import { type DeploymentOf, ownerByInstance } from "./instance-door.ts";
import { readRoutes } from "./read-routes.ts";
import { feedbackOf } from "./run-form.ts";
import { runRoutes } from "./run-routes.ts";
import { sessionRoutes } from "./session-routes.ts";
import { shipmentRoutes } from "./shipment-routes.ts";

type LangsmithDeps = {
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
    ...["/langsmith", INSTANCE].map((prefix) => info(prefix, maxBodyBytes)),
    ok(),
    ...runRoutes({
      ...{ ingest, maxBodyBytes, prefix: "/langsmith", access: traceIngest, unlisted: false },
      ownerOf: (_, caller) => ({ workspaceId: workspaceOf(caller) }),
    }),
    // What runs in an image need not be a Berth: its own client sends its traces with the instance's token.
    ...runRoutes({
      ...{ ingest, maxBodyBytes, prefix: INSTANCE, access: byInstanceToken, unlisted: true },
      ownerOf: (request) => ownerByInstance({ ...deps, sessions }, request, instanceIn(request)),
    }),
    feedback(ingest),
    ...readRoutes(traces),
    ...sessionRoutes(sessions),
    ...shipmentRoutes({ ...deps, sessions, traces }),
  ];
}

const INSTANCE = "/langsmith/instances/:instance_id";

/** The instance that a request is of, by its path. */
const instanceIn = ({ url }: Request): string =>
  /\/langsmith\/instances\/([^/]+)\//.exec(new URL(url).pathname)?.[1] ?? "";

/** What anybody may know who has a token or a key. */
const info = (prefix: string, maxBodyBytes: number) =>
  operation(
    {
      method: "GET",
      path: `${prefix}/info`,
      access: prefix === INSTANCE ? byInstanceToken : traceIngest,
      unlisted: prefix === INSTANCE,
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
      answers: { 200: { description: "Berth has stored it", schema: Feedback }, 404: "No such run" },
    },
    async ({ body, caller }) => {
      const form = { ...body, id: body.id ?? Bun.randomUUIDv7() };
      if (!feedbackOf(form)) throw new NotFound("Feedback has to name a run, or its trace");
      const { written } = await ingest.feedback(workspaceOf(caller), [form]);
      if (written === 0) throw new NotFound("Run not found");
      return json(form);
    },
  );
