import { until } from "../../e2e/condition.ts";
import type { DeploymentApi } from "../../e2e/deployment-api.ts";

type Run = Record<string, unknown> & { id: string };

const at = (ms: number) => new Date(ms).toISOString();

/** A trace of so many spans, as a program elsewhere reports it; three of its tools failed. Answers its id. */
export async function reportTrace(api: DeploymentApi, spans: number): Promise<string> {
  const start = Date.now() - 600_000;
  const root = Bun.randomUUIDv7();
  const stamp = (ms: number) => `${at(ms).replaceAll(/[-:.]/g, "").slice(0, -1)}000Z`;
  const common = { trace_id: root, session_name: "long-jobs" };
  const runs: Run[] = [
    {
      ...{ ...common, id: root, name: "book a journey", run_type: "chain", inputs: { from: "Rome" } },
      ...{ start_time: at(start), end_time: at(start + spans * 10), dotted_order: stamp(start) + root },
      error: ERROR,
      extra: { metadata: { error_cause: [CAUSE] } },
    },
  ];
  for (let n = 1; n < spans; n++) {
    const isNode = n % 10 === 1;
    const above = runs.findLast((run) => run.name === "plan") ?? runs[0];
    const parent = isNode ? runs[0] : above;
    const id = Bun.randomUUIDv7();
    const began = start + n * 10;
    const hasFailed = n === 25 || n === 777 || n === 1_500;
    runs.push({
      ...{ ...common, id, parent_run_id: parent?.id, run_type: isNode ? "chain" : n % 3 ? "llm" : "tool" },
      ...{
        name: isNode ? "plan" : `step ${n}`,
        start_time: at(began),
        end_time: at(began + (isNode ? 95 : 9)),
      },
      dotted_order: `${String(parent?.dotted_order)}.${stamp(began)}${id}`,
      inputs: { asked: n === 1_234 ? "a window seat, please" : `part ${n}` },
      ...(hasFailed ? { error: ERROR } : { outputs: { said: n } }),
    });
  }
  for (let sent = 0; sent < runs.length; sent += 1_000)
    await api.ask("POST", "/langsmith/runs/batch", { post: runs.slice(sent, sent + 1_000), patch: [] });
  await until(
    "the whole trace",
    () => api.ask<{ span_count: number }>("GET", `/v1/traces/${root}`),
    ({ span_count }) => span_count === spans,
  );
  return root;
}

const ERROR = `BookingRefused('no seat left')Traceback (most recent call last):
  File "/srv/journeys/booking.py", line 42, in book
    raise BookingRefused("no seat left")
BookingRefused: no seat left`;

const CAUSE = {
  type: "ConnectError",
  message: "connection to seats.internal was refused",
  stack: "    at connect (/srv/journeys/seats.ts:17:9)\n    at seatsOf (/srv/journeys/seats.ts:31:22)",
};
