import { type KeptKind, previewRetention } from "@berth/store";
import { ofOperator } from "../access/index.ts";
import { isoTime, json, type Operation, operation } from "../http/index.ts";
import type { OperationsDeps } from "./deps.ts";
import { ShownRetention, ShownSweep } from "./wire/index.ts";

type Deps = Pick<OperationsDeps, "db" | "clock" | "settings" | "agent" | "jobs">;

const tag = "Operations";
const DAY_MS = 86_400_000;
/** Jobs of the timer loop that remove what is over. */
const SWEEPS = new Set([
  "runs.sweep",
  "traces.sweep",
  "issues.sweep",
  "webhooks.sweep",
  "sign-ins.sweep",
  "control.tidy",
]);
/** A job removes a portion each time; what is left after so many goes with the timer. */
const MOST_TURNS = 20;

/** What each kind lives on, and what to change for it to be kept longer or shorter. */
const SETTINGS: Record<string, { setting: string; keeps?: string }> = {
  threads: { setting: "checkpointer.ttl of graph.json", keeps: "until its ttl is over" },
  memory: { setting: "store.ttl of graph.json", keeps: "until its ttl is over" },
  run_events: {
    setting: "RESUMABLE_STREAM_TTL_SECONDS, THREAD_LOG_TTL_SECONDS",
    keeps: "as long as they can be replayed",
  },
  traces: { setting: "TRACE_RETENTION_DAYS" },
  findings: { setting: "TRACE_RETENTION_DAYS" },
};

/** `/v1/system/retention`: what is kept for a time, and what goes next. */
export const retentionRoutes = (deps: Deps): Operation[] => [preview(deps), sweep(deps)];

const preview = (deps: Deps) =>
  operation(
    {
      method: "GET",
      path: "/v1/system/retention",
      access: ofOperator("Looking after this server"),
      bodyLimit: "none",
      tag,
      summary: "Show what Berth keeps, and for how long",
      description:
        "For each kind of data that Berth keeps for a limited time: how much there is, and how much of it Berth removes now and within a day. Berth counts to 100,000: that figure means so many or more. Needs a key of the organization.",
      answers: { 200: { description: "Each kind", schema: ShownRetention } },
    },
    async () => {
      const now = deps.clock.now();
      return json({ checked_at: isoTime(now), kinds: (await kinds(deps)).map(shownKind) });
    },
  );

const sweep = (deps: Deps) =>
  operation(
    {
      method: "POST",
      path: "/v1/system/retention/sweep",
      access: ofOperator("Removing what is over"),
      bodyLimit: "none",
      tag,
      summary: "Remove expired data now",
      description:
        "The timer does the same within minutes. Nothing else goes. Needs a key of the organization.",
      answers: { 200: { description: "What Berth has removed", schema: ShownSweep } },
    },
    async () => {
      const begun = performance.now();
      const before = await kinds(deps);
      await sweepAll(deps);
      const after = new Map((await kinds(deps)).map((one) => [one.kind, one.now.count]));
      return json({
        swept_at: isoTime(deps.clock.now()),
        took_ms: Math.round(performance.now() - begun),
        kinds: before.map(({ kind, title, now }) => ({
          ...{ kind, title },
          removed: Math.max(0, now.count - (after.get(kind) ?? 0)),
        })),
      });
    },
  );

const kinds = ({ db, clock, settings }: Deps): Promise<KeptKind[]> =>
  previewRetention(db, { now: clock.now(), traceRetentionMs: settings.traceRetentionDays * DAY_MS });

async function sweepAll(deps: Deps): Promise<void> {
  const sweeps = deps.jobs().filter(({ name }) => SWEEPS.has(name));
  let left = await over(deps);
  for (let turn = 0; turn < MOST_TURNS; turn += 1) {
    await deps.agent.expireNow(deps.clock.now());
    for (const job of sweeps) await job.once(deps.clock.now());
    const now = await over(deps);
    // What does not get less cannot go yet, such as a thread that is busy.
    if (now === 0 || now >= left) return;
    left = now;
  }
}

const over = async (deps: Deps): Promise<number> =>
  (await kinds(deps)).reduce((sum, { now }) => sum + now.count, 0);

function shownKind({ kind, title, keptMs, rows, now, next_day }: KeptKind) {
  const { setting = null, keeps } = SETTINGS[kind] ?? {};
  return { kind, title, keeps: keeps ?? spanOf(keptMs), setting, rows, now, next_day };
}

function spanOf(keptMs: number | null): string {
  if (keptMs === null) return "until it is over";
  const days = Math.round(keptMs / DAY_MS);
  return days === 1 ? "1 day" : `${days} days`;
}
