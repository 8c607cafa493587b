import type { RunningTtl, Thread } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { Dictionary, Instant, isoTime, isoTimeOrNull, nullable, oneOf, Uuid } from "../../http/index.ts";
import { ShownInterrupt } from "./state.ts";

export const threadStatuses = ["idle", "busy", "interrupted", "error"] as const;
/** What may become of a thread whose time to live is over. */
export const ttlStrategies = ["delete", "keep_latest"] as const;

export const ShownTtl = nullable(
  Type.Object(
    {
      strategy: oneOf([...ttlStrategies]),
      ttl_minutes: Type.Number(),
      expires_at: Type.String({ format: "date-time" }),
    },
    {
      title: "ThreadTtl",
      description: "Only with `include=ttl`. Null for a thread that Berth keeps.",
    },
  ),
);
export type ShownTtl = Static<typeof ShownTtl>;

export const ShownThread = Type.Object(
  {
    thread_id: Uuid,
    created_at: Instant,
    updated_at: Instant,
    state_updated_at: nullable(Instant),
    metadata: Dictionary,
    config: Dictionary,
    status: oneOf(threadStatuses),
    values: nullable(Dictionary),
    interrupts: Type.Record(Type.String(), Type.Array(ShownInterrupt), {
      description: "Open interrupts, by task.",
    }),
    error: Type.Union([Type.Object({ error: Type.String(), message: Type.String() }), Type.Null()], {
      description: "The error of the last run, or null.",
    }),
    extracted: Type.Optional(Dictionary),
    ttl: Type.Optional(ShownTtl),
  },
  { title: "Thread" },
);
export type ShownThread = Static<typeof ShownThread>;

/** @param values the thread's newest values; null while it has none */
export function shownThread(thread: Thread, values: unknown): ShownThread {
  const { ttl: _, ...shown } = thread;
  return {
    ...shown,
    created_at: isoTime(thread.created_at),
    updated_at: isoTime(thread.updated_at),
    state_updated_at: isoTimeOrNull(thread.state_updated_at),
    // What is stored was written in this form.
    interrupts: thread.interrupts as ShownThread["interrupts"],
    error: thread.error as ShownThread["error"],
    values: (values ?? null) as ShownThread["values"],
  };
}

export function shownTtl(ttl: RunningTtl | null): ShownTtl {
  return ttl && { strategy: ttl.strategy, ttl_minutes: ttl.minutes, expires_at: isoTime(ttl.expires_at) };
}

export const PrunedThreads = Type.Object({ pruned_count: Type.Integer({ minimum: 0 }) }, { title: "Pruned" });

const Bytes = Type.Integer({ minimum: 0 });
const size = { count: Type.Integer({ minimum: 0 }), bytes: Bytes };
const Versions = Type.Object({ versions: Type.Integer({ minimum: 1 }), bytes: Bytes });

export const ShownStorage = Type.Object(
  {
    thread_id: Uuid,
    total_bytes: Bytes,
    checkpoints: Type.Object(size),
    channel_values: Type.Object({ ...size, by_channel: Type.Record(Type.String(), Versions) }),
    pending_writes: Type.Object(size),
  },
  { title: "ThreadStorage" },
);
