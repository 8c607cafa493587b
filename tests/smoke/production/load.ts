// Clients of a server: each sends one request after the other, until the input of this program ends. What is refused
// for a moment they send again. At the end it prints what became of each (`LoadReport`).

import { until } from "../../e2e/condition.ts";
import { type Frame, readFrames } from "../../e2e/crash-http.ts";

/** An answer that was none of success, or none at all (0); `begun` and `ended` as of `Date.now`. */
export type Refusal = { client: string; begun: number; ended: number; status: number; reason: string };
export type LoadReport = {
  refusals: Refusal[];
  /** When each success came, by client. */
  successes: Record<string, number[]>;
  /** Of those that were taken: their ends, asked for when everything was over. */
  queued: string[];
  /** Streams that began and did not come to their end. */
  cut: number;
};

/** It prints this once each client was answered. */
const SENDING = "sending";
const [origin = "", deployment = "", key = ""] = process.argv.slice(2);
const PAUSE_MS = 20;
const QUEUE_PAUSE_MS = 250;
/** What Berth serves without a project. */
const OWN_AGENT = "deep-agent";
const headers = { "content-type": "application/json", "x-api-key": key };
const report: LoadReport = { refusals: [], successes: {}, queued: [], cut: 0 };
const taken: string[] = [];
let goesOn = true;

const input = { messages: [{ role: "user", content: "Hello" }] };
const post = (path: string, body: object) =>
  fetch(origin + path, { method: "POST", headers, body: JSON.stringify(body) });

/** @throws Error what a client takes as a failure */
type Send = () => Promise<{ status: number; reason: string }>;

/** Sends until the end is asked for, and then until one more was answered. */
async function client(name: string, send: Send): Promise<void> {
  const successes: number[] = [];
  report.successes[name] = successes;
  for (let isLast = false; ; isLast = !goesOn) {
    const begun = Date.now();
    const { status, reason } = await send().catch((error) => ({ status: 0, reason: String(error) }));
    const isAnswered = status >= 200 && status < 300;
    if (isAnswered) successes.push(Date.now());
    else report.refusals.push({ client: name, begun, ended: Date.now(), status, reason });
    if (isAnswered && isLast) return;
    await Bun.sleep(PAUSE_MS);
  }
}

const waited = (path: string, assistant_id: string) => async () => {
  const response = await post(path, { assistant_id, input });
  const text = await response.text();
  const failed = response.ok && text.includes("__error__");
  return { status: failed ? 0 : response.status, reason: text.slice(0, 300) };
};

const refused = async (response: Response) => ({ status: response.status, reason: await response.text() });

/** A request about a new thread. */
async function onThread(path: string, body: object): Promise<{ response: Response; id: string }> {
  const made = await post("/threads", {});
  if (!made.ok) return { response: made, id: "" };
  const { thread_id: id } = (await made.json()) as { thread_id: string };
  return { response: await post(`/threads/${id}/${path}`, { assistant_id: OWN_AGENT, input, ...body }), id };
}

async function streamed() {
  const { response } = await onThread("runs/stream", { stream_mode: ["messages-tuple"] });
  if (!response.ok) return refused(response);
  const frames: Frame[] = [];
  const isWhole = await readFrames(response, frames);
  if (!isWhole || frames.length < 2 || frames.some(({ event }) => event === "error")) report.cut += 1;
  return { status: response.status, reason: "" };
}

/** Runs that the start after the restart finds in the queue; no more than it has room for. */
async function queued() {
  await Bun.sleep(QUEUE_PAUSE_MS);
  const { response, id } = await onThread("runs", { after_seconds: 2 });
  if (!response.ok) return refused(response);
  const { run_id } = (await response.json()) as { run_id: string };
  taken.push(`/threads/${id}/runs/${run_id}`);
  return { status: response.status, reason: "" };
}

async function endOf(path: string): Promise<string> {
  await (await fetch(`${origin}${path}/join`, { headers })).text();
  const run = (await (await fetch(origin + path, { headers })).json()) as { status: string };
  return run.status;
}

const clients = [
  client("waits", waited("/runs/wait", OWN_AGENT)),
  client("streams", streamed),
  client("queues", queued),
  client("deployment", waited(`/d/${deployment}/runs/wait`, "chat")),
];
await until("each to be answered", async () =>
  Object.values(report.successes).every(({ length }) => length > 0),
);
process.stdout.write(`${SENDING}\n`);
for await (const _ of process.stdin);
goesOn = false;
await Promise.all(clients);
report.queued = await Promise.all(taken.map(endOf));
process.stdout.write(`${JSON.stringify(report)}\n`);
