import { type Agent, type Runs, runnableAssistants, type ThreadChanges } from "@berth/agent";
import { Conflict, NotFound, type Threads } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { chat, chatList } from "../access/index.ts";
import { ShownAssistant, shownAssistant } from "../agent/index.ts";
import { assistantRules, runRules, threadRules } from "../authorization/index.ts";
import {
  empty,
  json,
  limitField,
  type Operation,
  offsetField,
  oneOf,
  operation,
  text,
  Uuid,
} from "../http/index.ts";
import { ThreadSummary, threadSummary } from "./wire/index.ts";

type ChatThreadsDeps = { threads: Threads; changes: ThreadChanges; runs: Runs };

const tag = "Chat";
const params = Type.Object({ thread_id: Uuid });

/** `/api/threads`: the list of conversations, and what is done to one of them. */
export const chatThreadRoutes = (deps: ChatThreadsDeps): Operation[] => [
  listThreads(deps),
  renameThread(deps),
  deleteThread(deps),
  cancelRun(deps),
];

const listThreads = ({ threads }: ChatThreadsDeps) =>
  operation(
    {
      method: "GET",
      path: "/api/threads",
      access: chat(threadRules.list),
      bodyLimit: "none",
      tag,
      summary: "List the threads that have messages or runs",
      description: "Last changed first.",
      query: Type.Object({
        limit: limitField({ default: 100, maximum: 1_000 }),
        offset: offsetField(),
        conversations: Type.Boolean({
          default: false,
          description: "Leave out threads that have only runs of crons and of API calls.",
        }),
        q: Type.Optional(
          Type.String({
            maxLength: 200,
            description:
              "Part of the title, or words of the messages. All words have to match; of the last word, the beginning is enough. Upper and lower case are the same. The search covers the 10,000 threads that changed last, and finds a message a moment after its run has ended.",
          }),
        ),
      }),
      answers: { 200: { description: "One page", schema: Type.Array(ThreadSummary) } },
    },
    async ({ query: { q, ...page }, permit }) =>
      json((await threads.list({ ...page, query: q, permitted: permit.seen })).map(threadSummary)),
  );

const renameThread = ({ threads }: ChatThreadsDeps) =>
  operation(
    {
      method: "PATCH",
      path: "/api/threads/:thread_id",
      access: chat(threadRules.update),
      bodyLimit: "process",
      tag,
      unknownFields: "rejected",
      summary: "Rename a thread",
      params,
      body: Type.Object({ title: text({ pattern: "\\S", maxLength: 200 }) }),
      answers: { 200: { description: "The thread", schema: ThreadSummary }, 404: "No such thread" },
    },
    async ({ path, body }) => json(threadSummary(await threads.rename(path.thread_id, body.title.trim()))),
  );

const deleteThread = ({ changes }: ChatThreadsDeps) =>
  operation(
    {
      method: "DELETE",
      path: "/api/threads/:thread_id",
      access: chat(threadRules.discard),
      bodyLimit: "none",
      tag,
      summary: "Delete a thread",
      description: "With its log, checkpoints, runs and feedback. Stops its runs and ends its open streams.",
      params,
      answers: { 204: "The thread does not exist any more" },
    },
    async ({ path, permit }) => {
      if (!permit.isForeign) await changes.delete(path.thread_id).catch(unless(NotFound));
      return empty();
    },
  );

const cancelRun = ({ runs }: ChatThreadsDeps) =>
  operation(
    {
      method: "POST",
      path: "/api/threads/:thread_id/runs/:run_id/cancel",
      access: chat(runRules.cancel),
      bodyLimit: "none",
      tag,
      summary: "Stop a run",
      description:
        "What the run did so far stays; with `rollback`, nothing stays. If the run has just ended, nothing changes, " +
        "and that is no error: the client cannot know it. With `wait`, the answer comes when the run has stopped.",
      params: Type.Object({ thread_id: Uuid, run_id: Uuid }),
      query: Type.Object({
        wait: Type.Boolean({ default: false }),
        action: oneOf(["interrupt", "rollback"], { default: "interrupt" }),
      }),
      answers: { 204: "The run stops, or has ended", 404: "No such run" },
    },
    async ({ path, query, request }) => {
      const run = await runs.get(path.run_id, path.thread_id);
      await runs.cancel(run, query.action).catch(unless(Conflict));
      if (query.wait) await runs.ended(run, request.signal);
      return empty();
    },
  );

/** Lets one kind of failure pass for what was wanted. */
const unless = (expected: typeof NotFound | typeof Conflict) => (error: unknown) => {
  if (!(error instanceof expected)) throw error;
};

/** Nobody chooses among more. */
const MOST = 1_000;

/** `/api/assistants`: whom a conversation may be held with. */
export const chatAssistantRoutes = (deps: Pick<Agent, "assistants" | "project">): Operation[] => [
  operation(
    {
      method: "GET",
      path: "/api/assistants",
      access: chatList(assistantRules.find),
      bodyLimit: "none",
      tag: "Chat",
      summary: "List the assistants that the caller may use",
      description:
        "The assistants that the caller may find, and the graphs' own assistants, which everybody may run. At most 1,000, oldest first.",
      answers: { 200: { description: "The assistants", schema: Type.Array(ShownAssistant) } },
    },
    async ({ permit }) => json((await runnableAssistants(deps, permit.seen, MOST)).map(shownAssistant)),
  ),
];
