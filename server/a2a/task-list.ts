import { type ListTasksRequest, TaskState } from "@a2a-js/sdk";
import { RequestMalformedError } from "@a2a-js/sdk/errors";
import type { TaskState as State, TaskSearch } from "@berth/store";
import { STATES } from "./task-object.ts";

const LARGEST_PAGE = 100;
const PAGE = 50;

/**
 * The search that a request for tasks stands for.
 * @throws RequestMalformedError
 */
export function taskSearch(params: ListTasksRequest, assistantId: string): TaskSearch {
  const { contextId, status, statusTimestampAfter, pageSize = PAGE, pageToken } = params;
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > LARGEST_PAGE)
    throw new RequestMalformedError(`pageSize has to be 1 to ${LARGEST_PAGE}`);
  const since = statusTimestampAfter ? Date.parse(statusTimestampAfter) : undefined;
  if (Number.isNaN(since))
    throw new RequestMalformedError("statusTimestampAfter has to be a time (ISO 8601)");
  const states = statesOf(status);
  return {
    assistant_id: assistantId,
    limit: pageSize,
    offset: readToken(pageToken),
    ...(contextId === "" ? {} : { thread_id: contextId.toLowerCase() }),
    ...(states === undefined ? {} : { states }),
    ...(since === undefined ? {} : { since }),
  };
}

/** Where the next page begins; empty behind the last. */
export function nextToken({ offset }: TaskSearch, found: number, total: number): string {
  return offset + found < total && found > 0 ? String(offset + found) : "";
}

function readToken(token: string): number {
  if (token === "") return 0;
  if (!/^\d{1,9}$/.test(token)) throw new RequestMalformedError("pageToken is none of ours");
  return Number(token);
}

/** Undefined for any; none for one that no task of ours is ever in. */
function statesOf(status: TaskState): State[] | undefined {
  if (status === TaskState.TASK_STATE_UNSPECIFIED) return undefined;
  if (status === TaskState.UNRECOGNIZED) throw new RequestMalformedError("status is no state of a task");
  return (Object.keys(STATES) as State[]).filter((state) => STATES[state] === status);
}
