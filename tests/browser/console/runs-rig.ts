import { until } from "../../e2e/condition.ts";
import type { DeploymentApi } from "../../e2e/deployment-api.ts";
import { present } from "../../e2e/stream-parts.ts";

export type Trace = { id: string; session_id: string; thread_id: string; status: string; name: string };
type Page<T> = { resources: T[] };

/** Real runs of a Berth's own project, and their traces. */
export class RunsRig {
  constructor(
    private readonly api: DeploymentApi,
    private readonly graph: string,
    /** In front of the Agent Server's paths: empty, or `/d/<id>`. */
    private readonly base = "",
  ) {}

  async thread(metadata: Record<string, unknown> = {}): Promise<string> {
    const thread = await this.api.ask<{ thread_id: string }>("POST", `${this.base}/threads`, { metadata });
    return thread.thread_id;
  }

  /** Asks something on a thread, and gives the trace that is left of the run. */
  async run(threadId: string, text: string, more: object = {}): Promise<Trace> {
    const input = { messages: [{ type: "human", content: text }] };
    const path = `${this.base}/threads/${threadId}/runs`;
    const body = { assistant_id: this.graph, input, ...more };
    const { run_id } = await this.api.ask<{ run_id: string }>("POST", path, body);
    const [trace] = await until(
      `the trace of “${text}”`,
      async () => (await this.traces(threadId)).filter(({ id }) => id === run_id),
      ([found]) => found !== undefined && found.status !== "pending",
    );
    return present(trace);
  }

  async traces(threadId: string): Promise<Trace[]> {
    const { resources } = await this.api.ask<Page<Trace>>("GET", `/v1/traces?thread_id=${threadId}`);
    return resources;
  }

  /** Finished runs of a program elsewhere, many at once; answers the id of their tracing project. */
  async report(project: string, count: number): Promise<string> {
    const start = Date.now() - count * 1_000;
    for (let done = 0; done < count; done += 2_000) {
      const post = Array.from({ length: Math.min(2_000, count - done) }, (_, i) =>
        finishedRun(project, start + (done + i) * 1_000, done + i),
      );
      await this.api.ask("POST", "/langsmith/runs/batch", { post, patch: [] });
    }
    const found = await this.api.ask<Page<{ id: string }>>("GET", `/v1/sessions?name=${project}`);
    return found.resources[0]?.id ?? "";
  }
}

function finishedRun(session_name: string, startedAt: number, number: number) {
  const id = Bun.randomUUIDv7();
  const start_time = new Date(startedAt).toISOString();
  const hasFailed = number % 7 === 0;
  return {
    ...{ id, trace_id: id, session_name, name: `nightly ${number}`, run_type: "chain", start_time },
    end_time: new Date(startedAt + 100 + (number % 900)).toISOString(),
    dotted_order: `${start_time.replaceAll(/[-:.]/g, "").slice(0, -1)}000Z${id}`,
    ...{ inputs: { number }, outputs: hasFailed ? {} : { doubled: number * 2 } },
    ...(hasFailed && { error: `RangeError: ${number} cannot be divided by seven` }),
  };
}
