import { type StreamResponse, type Task as TaskObject, TaskState } from "@a2a-js/sdk";
import { END, type StoredEvent, type Task } from "@berth/store";
import { isValues, partsOf } from "./parts.ts";
import { artifact } from "./task-object.ts";

type Shown = () => Promise<TaskObject>;

/**
 * A task's events from what its newest run publishes: the task as it is, the answer as it grows, and at the end the
 * answer in whole and where the task stands. Messages before the last one are replaced by the next.
 */
export async function* taskStream(
  task: Task,
  frames: AsyncIterable<StoredEvent[]>,
  shown: Shown,
): AsyncGenerator<StreamResponse, void, undefined> {
  yield { payload: { $case: "task", value: await shown() } };
  const ids = { taskId: task.task_id, contextId: task.run.thread_id, metadata: undefined };
  const timestamp = () => new Date().toISOString();
  let growing: string | undefined;
  for await (const events of frames) {
    for (const { name, json } of events) {
      if (name === END) return yield* ending(await shown());
      if (name === "metadata") {
        const status = { state: TaskState.TASK_STATE_WORKING, message: undefined, timestamp: timestamp() };
        yield { payload: { $case: "statusUpdate", value: { ...ids, status } } };
      }
      const token = name === "messages" ? tokenOf(json) : undefined;
      if (!token) continue;
      const piece = { ...ids, artifact: artifact(task.task_id, token.parts), lastChunk: false };
      yield { payload: { $case: "artifactUpdate", value: { ...piece, append: token.id === growing } } };
      growing = token.id;
    }
  }
}

/** The last events of a task that came to rest. */
export function* ending({ id, contextId, status, artifacts }: TaskObject): Generator<StreamResponse> {
  const ids = { taskId: id, contextId, metadata: undefined };
  for (const whole of artifacts) {
    const value = { ...ids, artifact: whole, append: false, lastChunk: true };
    yield { payload: { $case: "artifactUpdate", value } };
  }
  yield { payload: { $case: "statusUpdate", value: { ...ids, status } } };
}

/** A piece of what a model says; nothing where it calls tools, and for whole messages, which come at the end. */
function tokenOf(json: string) {
  const [chunk, metadata]: unknown[] = JSON.parse(json);
  if (!isValues(chunk) || typeof chunk.id !== "string" || !("tool_call_chunks" in chunk)) return undefined;
  const tags = isValues(metadata) && Array.isArray(metadata.tags) ? metadata.tags : [];
  const parts = tags.includes("nostream") ? [] : partsOf(chunk.content);
  return parts.length > 0 ? { id: chunk.id, parts } : undefined;
}
