import {
  type Database,
  DEFAULT_WORKSPACE,
  type Session,
  Sessions,
  type SpanWrite,
  Traces,
} from "@berth/store";
import { type Open, standingClock } from "../every-store.ts";

export const HERE: string = DEFAULT_WORKSPACE.id;
export const ELSEWHERE = "0197f0a0-0000-7000-8000-00000000beef";

/** Everything that is remembered of runs, over a fresh database with a second workspace. */
export async function startTraceStore(open: Open) {
  const db = await open();
  await db.write((tx) =>
    tx.insertInto("workspaces").values({ id: ELSEWHERE, name: "elsewhere", created_at: 0 }).execute(),
  );
  return traceStore(db);
}

/** The same over a database that is open already, with a clock of its own. */
export async function traceStore(db: Database) {
  const clock = standingClock();
  const sessions = new Sessions(db, clock);
  const traces = new Traces(db, clock);
  const session = await sessions.ensure(HERE, "agent");
  /** A finished run: its root, and spans below it. Answers the trace id. */
  const run = async (
    root: Partial<SpanWrite> = {},
    children: Partial<SpanWrite>[] = [],
    of: Session = session,
  ) => {
    clock.advance(1);
    const trace = Bun.randomUUIDv7();
    const times = { start_time: clock.now(), end_time: clock.now() + 100, status: "success" as const };
    const base = { trace_id: trace, session_id: of.id, name: "agent", ...times };
    const below = children.map((child) => ({ ...base, id: Bun.randomUUIDv7(), parent_id: trace, ...child }));
    await traces.write([...below, { ...base, id: trace, ...root }]);
    return trace;
  };
  return { db, clock, sessions, traces, session, run };
}

export type TraceStore = Awaited<ReturnType<typeof traceStore>>;
