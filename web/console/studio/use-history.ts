import type { ThreadState } from "@berth/server";
import { useState } from "react";
import { api, type Pages, useLive, usePaging, useWorkspace } from "../data/index.ts";
import { type BranchStep, branchTo, endOf, idOf } from "./branch.ts";

const PAGE = 40;
const LONGEST_LIVE = 4 * PAGE;

export type History = {
  pages: Pages<ThreadState>;
  /** The branch that is looked at, newest first. */
  steps: readonly BranchStep[];
  /** Where it ends. */
  head: ThreadState | undefined;
  /** Whether that is the newest checkpoint, from which the thread goes on by itself. */
  isNewest: boolean;
  /** Looks at the branch through a checkpoint. */
  goTo(id: string): void;
};

/** The checkpoints of a thread, and the branch of them that is looked at: the newest, until somebody goes elsewhere. */
export function useHistory(base: string, threadId: string | undefined): History {
  const workspace = useWorkspace();
  const path = `${base}/threads/${threadId}/history`;
  const pages = usePaging<ThreadState[], string | undefined, ThreadState>({
    queryKey: threadId === undefined ? null : [workspace ?? "", path, "studio"],
    first: undefined,
    // One more than is shown says whether there are more.
    read: (before, signal) =>
      api(path, { method: "POST", body: { limit: PAGE + 1, ...(before && { before }) }, signal }),
    next: (last) => (last.length > PAGE ? last[PAGE - 1]?.checkpoint.checkpoint_id : undefined),
    rowsOf: (page) => page.slice(0, PAGE),
  });
  // Who has read far back does not want it all again whenever something happens.
  useLive(pages.rows.length > LONGEST_LIVE ? [] : ["threads", "runs", "traces"], pages.refresh);
  const [chosen, setChosen] = useState<{ head: string; newest: ThreadState }>();
  const [latest] = pages.rows;
  const newest = latest && idOf(latest);
  // What happens anew is looked at again. What a run goes on to write is not new: somebody has looked away from it.
  const headId = chosen && latest && isOfSameRun(chosen.newest, latest) ? chosen.head : newest;
  const steps = branchTo(pages.rows, headId);
  return {
    pages,
    steps,
    head: steps[0]?.state,
    isNewest: headId === newest,
    goTo: (id) => latest && setChosen({ head: endOf(pages.rows, id), newest: latest }),
  };
}

/** Whether two checkpoints are the same, or written by one run. */
function isOfSameRun(one: ThreadState, other: ThreadState): boolean {
  const { run_id } = one.metadata;
  return idOf(one) === idOf(other) || (run_id !== undefined && run_id === other.metadata.run_id);
}
