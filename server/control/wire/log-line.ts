import type { LogLine } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { nullable, oneOf, Uuid } from "../../http/index.ts";

export const LEVELS = ["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"] as const;

export const ShownLogLine = Type.Object({
  id: Type.String(),
  timestamp: Type.Integer({ description: "Milliseconds since 1970." }),
  level: oneOf(LEVELS),
  message: Type.String(),
  revision_id: Uuid,
});
export type ShownLogLine = Static<typeof ShownLogLine>;

/** The page of one revision's log, and of the logs that released tools call. */
export const LogPage = Type.Object({
  logs: Type.Array(ShownLogLine),
  next_offset: nullable(Type.String()),
});
export type LogPage = Static<typeof LogPage>;

/** The page of a deployment's log. */
export const DeploymentLogPage = Type.Object({
  items: Type.Array(ShownLogLine),
  next_cursor: nullable(Type.String()),
});
export type DeploymentLogPage = Static<typeof DeploymentLogPage>;

export function shownLogLine({ id, at, level, message, revision_id }: LogLine): ShownLogLine {
  return { id, timestamp: at, level, message, revision_id };
}
