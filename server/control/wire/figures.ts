import type { FigureRow } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { Instant, isoTime, nullable } from "../../http/index.ts";

const milliseconds = () => nullable(Type.Number({ description: "To the first byte, in milliseconds." }));

export const ShownMinute = Type.Object({
  minute: Instant,
  requests: Type.Integer(),
  errors: Type.Integer({ description: "Answers with a status of 500 and above." }),
  p50_ms: milliseconds(),
  p95_ms: milliseconds(),
  open_streams: Type.Integer(),
  memory_bytes: nullable(Type.Integer()),
});
export type ShownMinute = Static<typeof ShownMinute>;

/** What went through the gateway to a deployment. */
export const ShownFigures = Type.Object(
  {
    requests: Type.Integer(),
    errors: Type.Integer(),
    p95_ms: nullable(Type.Number({ description: "The value of the slowest minute." })),
    memory_bytes: nullable(Type.Integer({ description: "The newest." })),
    minutes: Type.Array(ShownMinute, { description: "Oldest first. Minutes without requests are missing." }),
  },
  { $id: "Figures" },
);
export type ShownFigures = Static<typeof ShownFigures>;

export function shownFigures(rows: readonly FigureRow[]): ShownFigures {
  const sum = (of: "requests" | "errors") => rows.reduce((total, row) => total + row[of], 0);
  const slowest = rows.flatMap(({ p95_ms }) => (p95_ms === null ? [] : [p95_ms]));
  return {
    requests: sum("requests"),
    errors: sum("errors"),
    p95_ms: slowest.length === 0 ? null : Math.max(...slowest),
    memory_bytes: rows.findLast(({ memory_bytes }) => memory_bytes !== null)?.memory_bytes ?? null,
    minutes: rows.map(({ deployment_id: _, minute, ...row }) => ({ ...row, minute: isoTime(minute) })),
  };
}
