import { type Static, Type } from "@sinclair/typebox";
import { LEVELS } from "../../doctor/index.ts";
import { Instant, nullable, oneOf } from "../../http/index.ts";

export const ShownFinding = Type.Object({
  check: Type.String(),
  title: Type.String(),
  status: oneOf(LEVELS),
  message: Type.String(),
  advice: nullable(Type.String()),
});
export type ShownFinding = Static<typeof ShownFinding>;

export const ShownDoctor = Type.Object(
  {
    status: oneOf(LEVELS),
    checked_at: Instant,
    took_ms: Type.Integer({ minimum: 0 }),
    findings: Type.Array(ShownFinding),
  },
  { $id: "Doctor" },
);
export type ShownDoctor = Static<typeof ShownDoctor>;
