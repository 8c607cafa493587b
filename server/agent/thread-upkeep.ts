import type { ThreadUpkeep } from "@berth/agent";
import type { Threads } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { agentServer } from "../access/index.ts";
import { threadRules } from "../authorization/index.ts";
import {
  BoundedDictionary,
  empty,
  json,
  nullable,
  type Operation,
  oneOf,
  operation,
  Uuid,
} from "../http/index.ts";
import { PrunedThreads, ShownStorage, ShownThread, shownThread } from "./wire/index.ts";

export type ThreadUpkeepRoutesDeps = {
  threads: Threads;
  upkeep: ThreadUpkeep;
  values: (threadIds: string[]) => Promise<ReadonlyMap<string, unknown>>;
};

const tag = "Threads";
const params = Type.Object({ thread_id: Uuid });
const MAX_PRUNED = 1_000;

/** Copies of threads, and what they take (`agent-server.md` §4). */
export const threadUpkeepRoutes = (deps: ThreadUpkeepRoutesDeps): Operation[] => [
  pruneThreads(deps),
  copyThread(deps),
  getStorage(deps),
  patchState(deps),
];

const pruneThreads = ({ upkeep }: ThreadUpkeepRoutesDeps) =>
  operation(
    {
      method: "POST",
      path: "/threads/prune",
      access: agentServer(threadRules.prune),
      bodyLimit: "process",
      tag,
      summary: "Prune threads",
      description:
        "`delete` deletes them; `keep_latest` keeps each with its newest state and no history. " +
        "Busy threads and unknown ids stay as they are and do not count.",
      body: Type.Object({
        thread_ids: Type.Array(Uuid, { maxItems: MAX_PRUNED }),
        strategy: Type.Optional(nullable(oneOf(["delete", "keep_latest"], { default: "delete" }))),
      }),
      answers: { 200: { description: "How many", schema: PrunedThreads } },
    },
    async ({ body: { thread_ids, strategy } }) => {
      const ids = thread_ids.map((id) => id.toLowerCase());
      return json({ pruned_count: await upkeep.prune(ids, strategy ?? "delete") });
    },
  );

const copyThread = ({ threads, upkeep, values }: ThreadUpkeepRoutesDeps) =>
  operation(
    {
      method: "POST",
      path: "/threads/:thread_id/copy",
      access: agentServer(threadRules.copy),
      bodyLimit: "none",
      tag,
      summary: "Copy a thread",
      description:
        "The copy has the state and the history of the thread and its subgraphs, but not its runs. " +
        "Its metadata has its own `thread_id`.",
      params,
      answers: { 200: { description: "The copy", schema: ShownThread }, 409: "No such thread" },
    },
    async ({ path, permit }) => {
      const made = await upkeep.copy(path.thread_id);
      const copy = permit.metadata ? await threads.patch(made.thread_id, permit.metadata) : made;
      return json(shownThread(copy, (await values([copy.thread_id])).get(copy.thread_id)));
    },
  );

const getStorage = ({ threads }: ThreadUpkeepRoutesDeps) =>
  operation(
    {
      method: "GET",
      path: "/threads/:thread_id/storage",
      access: agentServer(threadRules.read),
      bodyLimit: "none",
      tag,
      summary: "Get the storage that a thread uses",
      description: "Bytes of its checkpoints, without the log of its runs.",
      params,
      answers: { 200: { description: "The sizes", schema: ShownStorage }, 404: "No such thread" },
    },
    async ({ path: { thread_id } }) => json({ thread_id, ...(await threads.storage(thread_id)) }),
  );

const patchState = ({ threads }: ThreadUpkeepRoutesDeps) =>
  operation(
    {
      method: "PATCH",
      path: "/threads/:thread_id/state",
      access: agentServer(threadRules.patch),
      bodyLimit: "process",
      tag,
      summary: "Change a thread's metadata",
      description: "The same as a patch of the thread; `patchState` of the JavaScript client sends this.",
      params,
      body: Type.Object({ metadata: Type.Optional(nullable(BoundedDictionary)) }),
      answers: { 204: "Changed", 404: "No such thread" },
    },
    async ({ path, body }) => {
      await threads.patch(path.thread_id, body.metadata ?? {});
      return empty();
    },
  );
