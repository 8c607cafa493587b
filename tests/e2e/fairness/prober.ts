import { parentPort } from "node:worker_threads";

// A worker of its own: the load that the test makes beside it delays neither its requests nor its clock.

/** What the prober measures: `/ok` of a Berth, and runs of a deployment through the gateway. */
export type ProbeTarget = { url: string; key: string; deployment: string };

/** Latencies (ms), each list in the order in which they were measured. */
export type Latencies = { ok: number[]; firstToken: number[] };

const OK_PAUSE_MS = 10;
const RUN_PAUSE_MS = 10;

let target: ProbeTarget | undefined;
let isMeasuring = false;
let latencies: Latencies = { ok: [], firstToken: [] };
let probing: Promise<unknown> = Promise.resolve();

async function repeat(into: number[], pauseMs: number, measure: () => Promise<number>): Promise<void> {
  while (isMeasuring) {
    into.push(await measure());
    await Bun.sleep(pauseMs);
  }
}

async function ok(url: string): Promise<number> {
  const began = performance.now();
  const answer = await fetch(`${url}/ok`);
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`/ok answered ${answer.status}`);
  return performance.now() - began;
}

async function firstToken({ url, key, deployment }: ProbeTarget): Promise<number> {
  const began = performance.now();
  const answer = await fetch(`${url}/d/${deployment}/runs/stream`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": key },
    body: JSON.stringify({
      assistant_id: "chat",
      input: { messages: [{ type: "human", content: "hello" }] },
      stream_mode: ["messages-tuple"],
    }),
  });
  let text = "";
  let took: number | undefined;
  const decoder = new TextDecoder();
  // To its end: a run that is cancelled is other work than the one that is measured.
  for await (const chunk of answer.body ?? []) {
    if (took !== undefined) continue;
    text += decoder.decode(chunk, { stream: true });
    if (text.includes("event: messages")) took = performance.now() - began;
  }
  if (took === undefined) throw new Error(`no token: ${answer.status} ${text.slice(0, 500)}`);
  return took;
}

async function begin(at: ProbeTarget): Promise<void> {
  latencies = { ok: [], firstToken: [] };
  isMeasuring = true;
  const { ok: oks, firstToken: tokens } = latencies;
  probing = Promise.all([
    repeat(oks, OK_PAUSE_MS, () => ok(at.url)),
    repeat(tokens, RUN_PAUSE_MS, () => firstToken(at)),
  ]);
  // Whoever ends the measurement gets the failure.
  probing.catch(() => undefined);
}

async function end(): Promise<Latencies> {
  isMeasuring = false;
  await probing;
  return latencies;
}

parentPort?.on("message", (message: ProbeTarget | "begin" | "end") => {
  if (typeof message === "object") target = message;
  if (message === "begin" && target) void begin(target);
  if (message !== "end") return void parentPort?.postMessage(null);
  end().then(
    (measured) => parentPort?.postMessage(measured),
    (error) => parentPort?.postMessage({ failure: String(error) }),
  );
});
