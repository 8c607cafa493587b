import type { ListedThread } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { threadStatuses } from "../../agent/index.ts";
import { Instant, isoTime, nullable, oneOf, Uuid } from "../../http/index.ts";

/** A thread in the chat's list. */
export const ThreadSummary = Type.Object(
  {
    id: Uuid,
    title: Type.String({
      description:
        "The title that somebody gave the thread; without one, the first words that a person wrote.",
    }),
    updatedAt: Instant,
    status: oneOf(threadStatuses),
    waiting: Type.Boolean({ description: "Whether the thread waits for an answer: an interrupt is open." }),
    assistant_id: nullable(Type.String({ description: "The assistant that spoke last." })),
  },
  { title: "ThreadSummary" },
);
export type ThreadSummary = Static<typeof ThreadSummary>;

export function threadSummary(thread: ListedThread): ThreadSummary {
  const { thread_id, title, updated_at, status, waiting, assistant_id } = thread;
  return {
    id: thread_id,
    title: title ?? "New conversation",
    updatedAt: isoTime(updated_at),
    status,
    waiting,
    assistant_id,
  };
}
