import type { Feedback, Thread } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { chat } from "../access/index.ts";
import { threadRules } from "../authorization/index.ts";
import { empty, json, nullable, type Operation, operation, text, Uuid } from "../http/index.ts";
import { ShownFeedback, shownFeedback } from "./wire/index.ts";

type FeedbackRoutesDeps = {
  feedback: Feedback;
  /** Throws `NotFound` for an id that nobody has. */
  requireThread: (threadId: string) => Promise<Thread>;
};

const tag = "Chat";

const Body = Type.Object({
  key: text({
    minLength: 1,
    maxLength: 200,
    default: "user_score",
    description: "What the feedback judges.",
  }),
  score: Type.Union([Type.Number(), Type.Null()], { description: "Null takes the feedback back." }),
  comment: Type.Optional(nullable(text({ maxLength: 10_000 }))),
  message_id: Type.Optional(
    nullable(text({ minLength: 1, maxLength: 200, description: "The message that the feedback is about." })),
  ),
});

/** What people think of answers: thumbs up and down. */
export const feedbackRoutes = (deps: FeedbackRoutesDeps): Operation[] => [
  putFeedback(deps),
  postFeedback(deps),
  listFeedback(deps),
];

const putFeedback = ({ feedback, requireThread }: FeedbackRoutesDeps) =>
  operation(
    {
      method: "PUT",
      path: "/api/threads/:thread_id/runs/:run_id/feedback",
      access: chat(threadRules.update),
      bodyLimit: "process",
      tag,
      unknownFields: "rejected",
      summary: "Give feedback on a run, or take it back",
      description:
        "A run, or a message in it, has one judgement for each `key`; new feedback replaces the old.",
      params: Type.Object({ thread_id: Uuid, run_id: Uuid }),
      body: Body,
      answers: {
        200: { description: "The feedback", schema: ShownFeedback },
        204: "The feedback is taken back",
        404: "No such thread or run",
      },
    },
    async ({ path: { thread_id, run_id }, body: { score, key, message_id, comment } }) => {
      await requireThread(thread_id);
      const about = { run_id, key, message_id };
      if (score !== null)
        return json(shownFeedback(await feedback.put(thread_id, { ...about, score, comment })));
      await feedback.remove(thread_id, about);
      return empty();
    },
  );

const KeyBody = Type.Object({
  score: Type.Optional(nullable(Type.Number())),
  value: Type.Optional(Type.Unknown({ description: "A judgement that is not a number." })),
  comment: Type.Optional(nullable(text({ maxLength: 10_000 }))),
});

const postFeedback = ({ feedback, requireThread }: FeedbackRoutesDeps) =>
  operation(
    {
      method: "POST",
      path: "/api/threads/:thread_id/runs/:run_id/feedback/:key",
      access: chat(threadRules.update),
      bodyLimit: "process",
      tag,
      summary: "Give feedback on a run at the address in its answer",
      description:
        "`__feedback__` of a wait, and the `feedback` event of a stream, name this address for each of a run's " +
        "`feedback_keys`. New feedback replaces the old.",
      params: Type.Object({
        thread_id: Uuid,
        run_id: Uuid,
        key: text({ minLength: 1, maxLength: 200, description: "What the feedback judges." }),
      }),
      body: KeyBody,
      answers: { 200: { description: "The feedback", schema: ShownFeedback }, 404: "No such thread or run" },
    },
    async ({ path: { thread_id, run_id, key }, body: { score, value, comment } }) => {
      await requireThread(thread_id);
      return json(shownFeedback(await feedback.put(thread_id, { run_id, key, score, value, comment })));
    },
  );

const listFeedback = ({ feedback, requireThread }: FeedbackRoutesDeps) =>
  operation(
    {
      method: "GET",
      path: "/api/threads/:thread_id/feedback",
      access: chat(threadRules.read),
      bodyLimit: "none",
      tag,
      summary: "List the feedback on a thread",
      params: Type.Object({ thread_id: Uuid }),
      answers: {
        200: { description: "All feedback, oldest first", schema: Type.Array(ShownFeedback) },
        404: "No such thread",
      },
    },
    async ({ path: { thread_id } }) => {
      await requireThread(thread_id);
      return json((await feedback.ofThread(thread_id)).map(shownFeedback));
    },
  );
