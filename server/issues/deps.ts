import type {
  EngineRun,
  EngineRuns,
  GroupingRules,
  Issues,
  ModelPrices,
  Outbox,
  RunFigures,
  Sessions,
  Subscriptions,
  Traces,
} from "@berth/store";
import type { Reach } from "../reach/index.ts";

/** What the routes of traces, issues and webhooks work with. */
export type IssueRoutesDeps = {
  sessions: Sessions;
  traces: Traces;
  figures: RunFigures;
  modelPrices: ModelPrices;
  issues: Issues;
  groupingRules: GroupingRules;
  subscriptions: Subscriptions;
  outbox: Outbox;
  engineRuns: Pick<EngineRuns, "get" | "list">;
  /** Scans one tracing project, or every one of a workspace that has something new; resolves when it is done. */
  scan(of: { workspaceId: string; sessionId?: string }): Promise<EngineRun[]>;
  /** Which addresses webhooks may go to. */
  reach: Reach;
  /** Whether the settings name a chat that takes messages for a channel by its name. */
  hasChat: boolean;
  /** The tracing project of what this Berth serves itself; null when its runs leave no traces. */
  servedProject: string | null;
  /** The base of the addresses that are given away. */
  publicUrl(): string;
  now(): number;
};
