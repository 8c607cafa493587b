import type { Runs } from "@berth/agent";
import { Invalid } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { agentServer } from "../access/index.ts";
import { runRules } from "../authorization/index.ts";
import { empty, json, type Operation, oneOf, operation } from "../http/index.ts";
import { requestConfigurable } from "./configurable-headers.ts";
import { BulkCancelBody, RunBatch, StatelessRunBody } from "./run-schemas.ts";
import { ShownRun, shownRun } from "./wire/index.ts";

type BulkRunRoutesDeps = { runs: Runs };

const tag = "Stateless Runs";

/** Many runs in one request: creating and cancelling (`agent-server.md` §5.2). */
export const bulkRunRoutes = (deps: BulkRunRoutesDeps): Operation[] => [createBatch(deps), cancelMany(deps)];

const createBatch = ({ runs }: BulkRunRoutesDeps) =>
  operation(
    {
      method: "POST",
      path: "/runs/batch",
      access: agentServer(runRules.createBatch),
      bodyLimit: "process",
      startsRun: true,
      tag,
      summary: "Create many background runs",
      description:
        "Creates stateless runs, in the given order. If one of them has no assistant, Berth creates none.",
      body: RunBatch,
      reword: inOurWords,
      answers: {
        200: { description: "The runs", schema: Type.Array(ShownRun) },
        404: "No such assistant or graph",
      },
    },
    async ({ body, request, permit }) => {
      const created = await runs.createMany(body, requestConfigurable(request), permit.runIds);
      return json(created.map(shownRun));
    },
  );

/** The JavaScript client passes a batch on as its caller writes it, in camel case; what is in ours already counts. */
function inOurWords(body: unknown): unknown {
  if (!Array.isArray(body)) return body;
  return body.map((run: unknown) => {
    if (typeof run !== "object" || run === null) return run;
    const renamed = Object.entries(run).flatMap(([name, value]) => {
      const ours = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      return ours !== name && ours in StatelessRunBody.properties ? [[ours, value]] : [];
    });
    return { ...Object.fromEntries(renamed), ...run };
  });
}

const cancelMany = ({ runs }: BulkRunRoutesDeps) =>
  operation(
    {
      method: "POST",
      path: "/runs/cancel",
      access: agentServer(runRules.cancelMany),
      bodyLimit: "process",
      tag,
      summary: "Cancel many runs",
      description:
        "Either those with `run_ids` on the thread `thread_id`, or all with a `status`. " +
        "Runs that have ended stay as they are.",
      query: Type.Object({
        action: Type.Optional(oneOf(["interrupt", "rollback"], { default: "interrupt" })),
      }),
      body: BulkCancelBody,
      answers: { 204: "Berth has asked the run to stop", 404: "The thread has none of the runs" },
    },
    async ({ body, query, permit }) => {
      const which = { ...selection(body), permitted: permit.seen };
      await runs.cancelMany(which, query.action ?? "interrupt");
      return empty();
    },
  );

/** @throws Invalid when it says neither, half of one, or both */
function selection({ status, thread_id, run_ids }: Static<typeof BulkCancelBody>) {
  if (status && !thread_id && !run_ids) return { status };
  if (!status && thread_id && run_ids) {
    return { threadId: thread_id.toLowerCase(), runIds: run_ids.map((id) => id.toLowerCase()) };
  }
  const field = status ? (thread_id ? "thread_id" : "run_ids") : thread_id ? "run_ids" : "status";
  throw Invalid.body(field, "Give either status, or thread_id and run_ids", null);
}
