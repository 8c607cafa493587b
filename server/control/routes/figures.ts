import type { FigureRow } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { json } from "../../http/answer.ts";
import { Instant, nullable } from "../../http/fields.ts";
import { isoTime } from "../../http/instant.ts";
import { type Operation, operation } from "../../http/operation.ts";
import { workspaceOf } from "./caller.ts";
import type { ControlRoutesDeps } from "./deps.ts";
import { deploymentParams } from "./schemas.ts";

type Deps = Pick<ControlRoutesDeps, "deployments" | "figures">;

const milliseconds = () => nullable(Type.Number({ description: "To the first byte, in milliseconds." }));

const MinuteSchema = Type.Object({
  minute: Instant,
  requests: Type.Integer(),
  errors: Type.Integer({ description: "Answers of 500 and above." }),
  p50_ms: milliseconds(),
  p95_ms: milliseconds(),
  open_streams: Type.Integer(),
  memory_bytes: nullable(Type.Integer()),
});

const FiguresSchema = Type.Object(
  {
    requests: Type.Integer(),
    errors: Type.Integer(),
    p95_ms: nullable(Type.Number({ description: "That of the slowest minute." })),
    memory_bytes: nullable(Type.Integer({ description: "The newest." })),
    minutes: Type.Array(MinuteSchema, { description: "Oldest first; quiet minutes are left out." }),
  },
  { $id: "Figures" },
);

/** What went through the gateway to a deployment. */
export const figureRoutes = ({ deployments, figures }: Deps): Operation[] => [
  operation(
    {
      method: "GET",
      path: "/v2/deployments/:deployment_id/figures",
      tag: "Deployments",
      summary: "Get the figures of a deployment",
      description: "Requests, errors, latency and memory, minute by minute.",
      params: deploymentParams,
      query: Type.Object({ minutes: Type.Integer({ minimum: 1, maximum: 1_440, default: 60 }) }),
      answers: { 200: { description: "The figures", schema: FiguresSchema }, 404: "No such deployment" },
    },
    async ({ path, query, caller }) => {
      const { id } = await deployments.get(workspaceOf(caller), path.deployment_id);
      return json(wireFigures(await figures.read(id, query.minutes)));
    },
  ),
];

function wireFigures(rows: readonly FigureRow[]) {
  const sum = (of: "requests" | "errors") => rows.reduce((total, row) => total + row[of], 0);
  const slowest = rows.flatMap(({ p95_ms }) => (p95_ms === null ? [] : [p95_ms]));
  return {
    requests: sum("requests"),
    errors: sum("errors"),
    p95_ms: slowest.length === 0 ? null : Math.max(...slowest),
    memory_bytes: rows.findLast(({ memory_bytes }) => memory_bytes !== null)?.memory_bytes ?? null,
    minutes: rows.map(({ deployment_id: _, minute, ...row }) => ({ minute: isoTime(minute), ...row })),
  };
}
