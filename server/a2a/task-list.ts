import { type ListTasksRequest, TaskState } from "@a2a-js/sdk";
import { RequestMalformedError } from "@a2a-js/sdk/errors";
import type { TaskState as State, TaskSearch } from "@berth/store";
import { STATES } from "./task-object.ts";

const LARGEST_PAGE = 100;
const PAGE = 50;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The search that a request for tasks stands for; undefined when nothing can match.
 * @throws RequestMalformedError
 */
export function taskSearch(params: ListTasksRequest, assistantId: string): TaskSearch | undefined {
  const { contextId, status, statusTimestampAfter, pageSize = PAGE, pageToken } = params;
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > LARGEST_PAGE)
    throw new RequestMalformedError(`pageSize has to be 1 to ${LARGEST_PAGE}`);
  const since = statusTimestampAfter ? Date.parse(statusTimestampAfter) : undefined;
  if (Number.isNaN(since))
    throw new RequestMalformedError("statusTimestampAfter has to be a time (ISO 8601)");
  const offset = readToken(pageToken);
  const state = stateOf(status);
  if (state === null || (contextId !== "" && !UUID.test(contextId))) return undefined;
  return {
    assistant_id: assistantId,
    limit: pageSize,
    offset,
    ...(contextId === "" ? {} : { thread_id: contextId.toLowerCase() }),
    ...(state === undefined ? {} : { state }),
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

/** Undefined for any state, null for one that no task of ours is ever in. */
function stateOf(status: TaskState): State | null | undefined {
  if (status === TaskState.TASK_STATE_UNSPECIFIED) return undefined;
  if (status === TaskState.UNRECOGNIZED) throw new RequestMalformedError("status is no state of a task");
  const found = (Object.keys(STATES) as State[]).find((state) => STATES[state] === status);
  return found ?? null;
}
