import { type Static, Type } from "@sinclair/typebox";
import { Instant, nullable } from "../../http/index.ts";

const Count = Type.Integer({ minimum: 0 });
const Due = Type.Object({ count: Count, bytes: nullable(Count) });

/** What is kept for a time only, and how much of it goes. */
export const ShownKeptKind = Type.Object({
  kind: Type.String(),
  title: Type.String(),
  keeps: Type.String(),
  setting: nullable(Type.String()),
  rows: Count,
  now: Due,
  next_day: Due,
});
export type ShownKeptKind = Static<typeof ShownKeptKind>;

export const ShownRetention = Type.Object(
  { checked_at: Instant, kinds: Type.Array(ShownKeptKind) },
  { $id: "Retention" },
);
export type ShownRetention = Static<typeof ShownRetention>;

export const ShownSweep = Type.Object(
  {
    swept_at: Instant,
    took_ms: Count,
    kinds: Type.Array(Type.Object({ kind: Type.String(), title: Type.String(), removed: Count })),
  },
  { $id: "Swept" },
);
export type ShownSweep = Static<typeof ShownSweep>;
