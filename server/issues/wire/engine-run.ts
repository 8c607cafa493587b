import { type EngineRun, plainOrNull } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { Instant, isoTime, isoTimeOrNull, nullable, oneOf, pageOf, Uuid } from "../../http/index.ts";

export const ENGINE_RUN_STATUSES = ["running", "success", "error", "timeout"] as const;

const Text = Type.String();
const Count = Type.Integer();

export const ShownEngineRun = Type.Object(
  {
    id: Uuid,
    tenant_id: Uuid,
    session_id: Uuid,
    thread_id: Text,
    run_id: nullable(Text),
    status: oneOf(ENGINE_RUN_STATUSES),
    error_message: nullable(Text),
    scanned: Type.Integer({ description: "How many traces the scan looked at." }),
    findings: Count,
    opened: Count,
    linked: Count,
    reopened: Count,
    unreadable: Type.Integer({
      description: "How many of these traces the engine could not read; it left them out.",
    }),
    started_at: Instant,
    ended_at: nullable(Instant),
  },
  { $id: "EngineRun" },
);
export type ShownEngineRun = Static<typeof ShownEngineRun>;
export const EngineRunsPage = pageOf("EngineRunsList", ShownEngineRun);
export type EngineRunsPage = Static<typeof EngineRunsPage>;

export function shownEngineRun({ workspace_id, ...run }: EngineRun): ShownEngineRun {
  return {
    ...run,
    error_message: plainOrNull(run.error_message),
    tenant_id: workspace_id,
    started_at: isoTime(run.started_at),
    ended_at: isoTimeOrNull(run.ended_at),
  };
}
