import type { FeedbackEntry } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { Instant, isoTime, nullable, Uuid } from "../../http/index.ts";

export const ShownFeedback = Type.Object(
  {
    feedback_id: Uuid,
    run_id: Uuid,
    thread_id: nullable(Uuid),
    message_id: nullable(Type.String()),
    key: Type.String(),
    score: nullable(Type.Number()),
    value: Type.Unknown({ description: "A judgement that is not a number." }),
    comment: nullable(Type.String()),
    created_at: Instant,
    modified_at: Instant,
  },
  { title: "Feedback" },
);
export type ShownFeedback = Static<typeof ShownFeedback>;

export const shownFeedback = (entry: FeedbackEntry): ShownFeedback => ({
  ...entry,
  created_at: isoTime(entry.created_at),
  modified_at: isoTime(entry.modified_at),
});
