import { type Clock, type Database, DEFAULT_WORKSPACE, Sessions, type SpanWrite, Traces } from "@berth/store";

/** The tracing project that spans go to. */
export type SessionPlace = { name: string; ships?: boolean | undefined };

/** What became of spans: tracing projects that are gone take none. */
type Told = { unknownSessions: string[] };

/** Where the spans of runs are kept. */
export type TraceStore = {
  /** The id of the tracing project, which is made where it is missing. */
  session(): Promise<string>;
  write(spans: SpanWrite[]): Promise<Told>;
  /** Traces that nobody has heard of, each with all of its spans. */
  writeWhole(traces: SpanWrite[][]): Promise<Told>;
  /** Closes what an attempt left open whose process is gone; the run goes on in the same trace from `since` on. */
  closeLost(traceId: string, since: number): Promise<void>;
};

/** What runs leave waits as long as they do, by the default of their leases, before it is given up. */
const PATIENCE_MS = 30_000;

/** The traces in the database. */
export function traceStore(db: Database, clock: Clock, { name, ships }: SessionPlace): TraceStore {
  const traces = new Traces(db, clock, { patienceMs: PATIENCE_MS });
  const sessions = new Sessions(db, clock);
  return {
    session: async () => (await sessions.ensure(DEFAULT_WORKSPACE.id, name, { ships })).id,
    write: (spans) => traces.write(spans),
    writeWhole: (whole) => traces.writeWhole(whole),
    closeLost: async (traceId, since) => {
      const { spans } = await traces.get(DEFAULT_WORKSPACE.id, traceId);
      const lost = spans.filter((span) => span.status === "pending" && span.start_time < since);
      const end = { status: "interrupted" as const, end_time: since };
      await traces.write(
        lost
          .filter(({ id }) => id !== traceId)
          .map(({ id, trace_id, session_id }) => ({ id, trace_id, session_id, ...end })),
      );
    },
  };
}
