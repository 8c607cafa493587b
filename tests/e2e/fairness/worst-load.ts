import { gzipSync } from "node:zlib";
import { DeploymentApi } from "../deployment-api.ts";
import { archiveOf, langGraphBundle, type ProjectFiles } from "../tiny-agent.ts";

const BOUNDARY = "parts-of-the-worst-load";
const PARTS = 19_000;
const OPEN_STREAMS = 50;
/** Lines of two bytes that a run of the noisy agent prints. */
const LINES = 2_000_000;
/** Deployments whose builds print and sleep. */
const BUILDS = 6;
const UPLOAD_BYTES = 20_000_000;

/** How often each kind of load was applied. */
export type AppliedLoad = Record<"uploads" | "logs" | "builds" | "bodies" | "streams" | "refused", number>;

/** An agent that prints as many lines as it is asked for, and then streams for a while. */
async function noisyAgent(): Promise<ProjectFiles> {
  return {
    "graph.json": JSON.stringify({ graphs: { agent: "./agent.ts:graph" } }),
    "langgraph.js": await langGraphBundle(),
    "agent.ts": `
import { writeSync } from "node:fs";
import { Annotation, StateGraph } from "./langgraph.js";
const State = Annotation.Root({ said: Annotation });
const say = async ({ said }) => {
  for (let left = Number(said); left > 0; left -= 100_000) {
    writeSync(1, "x\\n".repeat(Math.min(left, 100_000)));
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await new Promise((resolve) => setTimeout(resolve, 500));
  return { said: "x".repeat(100_000) };
};
export const graph = new StateGraph(State).addNode("say", say).addEdge("__start__", "say").compile();
`,
  };
}

/** A workspace that does its worst: uploads, logs, builds, bodies and streams, all at the same time. */
export class WorstLoad {
  readonly applied: AppliedLoad = { uploads: 0, logs: 0, builds: 0, bodies: 0, streams: 0, refused: 0 };
  readonly #api: DeploymentApi;
  readonly #noisy: string[] = [];
  readonly #building: string[] = [];
  #isOver = false;

  constructor(
    private readonly url: string,
    private readonly key: string,
  ) {
    this.#api = new DeploymentApi(() => url, key);
  }

  /** Deploys what is needed, before anything is measured. */
  async prepare(): Promise<void> {
    const { id } = await this.#api.fromSource("noisy");
    const { status } = await this.#api.settled(id, await this.#api.push(id, await noisyAgent()));
    if (status !== "DEPLOYED") throw new Error(`the noisy agent is ${status}`);
    this.#noisy.push(id);
    for (let at = 0; at < BUILDS; at += 1) {
      const { id: building } = await this.#api.ask<{ id: string }>("POST", "/v2/deployments", {
        name: `building-${at}`,
        source: "internal_source",
        source_config: { build_command: "sh build.sh" },
        source_revision_config: { langgraph_config_path: "graph.json" },
        secrets: [],
      });
      this.#building.push(building);
    }
  }

  /** Applies the load for a time. */
  async run(ms: number): Promise<void> {
    const timer = setTimeout(() => {
      this.#isOver = true;
    }, ms);
    const [noisy = ""] = this.#noisy;
    await Promise.all([
      ...this.#building.map((id) => this.#repeat(() => this.#build(id))),
      ...Array.from({ length: 2 }, () => this.#repeat(() => this.#upload(noisy))),
      ...Array.from({ length: 2 }, () => this.#repeat(() => this.#print(noisy))),
      ...Array.from({ length: OPEN_STREAMS }, () => this.#repeat(() => this.#stream(noisy))),
      this.#repeat(() => this.#parts()),
      this.#repeat(() => this.#batch()),
      this.#repeat(() => this.#export()),
    ]);
    clearTimeout(timer);
  }

  /** A refusal is what a workspace may get; the load goes on after a moment. */
  async #repeat(work: () => Promise<unknown>): Promise<void> {
    while (!this.#isOver) {
      try {
        await work();
      } catch {
        this.applied.refused += 1;
        await Bun.sleep(200);
      }
    }
  }

  async #build(id: string): Promise<void> {
    const build = "yes | head -c 20000000\nsleep 2\n";
    const revision = await this.#api.push(id, { ...(await noisyAgent()), "build.sh": build });
    this.applied.builds += 1;
    while (!this.#isOver && !(await this.#isSettled(id, revision))) await Bun.sleep(500);
  }

  async #isSettled(id: string, revision: string): Promise<boolean> {
    const { status } = await this.#api.revision(id, revision);
    return status === "DEPLOYED" || status.endsWith("_FAILED");
  }

  async #upload(id: string): Promise<void> {
    const place = await this.#api.ask<{ upload_url: string }>("POST", `/v2/deployments/${id}/upload-url`);
    await this.#sent(fetch(place.upload_url, { method: "PUT", body: LARGE_ARCHIVE }));
    this.applied.uploads += 1;
  }

  async #print(id: string): Promise<void> {
    await this.#call(`/d/${id}/runs/wait`, { assistant_id: "agent", input: { said: String(LINES) } });
    this.applied.logs += 1;
  }

  async #stream(id: string): Promise<void> {
    await this.#call(`/d/${id}/runs/stream`, { assistant_id: "agent", input: { said: "0" } });
    this.applied.streams += 1;
  }

  async #parts(): Promise<void> {
    const id = crypto.randomUUID();
    const part = (name: string, value: unknown) =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${JSON.stringify(value)}\r\n`;
    const attached = Array.from({ length: PARTS }, (_, at) => part(`attachment.${id}.file-${at}`, at));
    const feedback = Array.from({ length: 500 }, () =>
      part(`feedback.${crypto.randomUUID()}`, { run_id: id, trace_id: id, key: "k", score: 1 }),
    );
    const body = `${part(`post.${id}`, runOf(id))}${attached.join("")}${feedback.join("")}--${BOUNDARY}--\r\n`;
    const headers = { "content-type": `multipart/form-data; boundary=${BOUNDARY}`, "x-api-key": this.key };
    await this.#sent(fetch(`${this.url}/langsmith/runs/multipart`, { method: "POST", headers, body }));
    this.applied.bodies += 1;
  }

  async #batch(): Promise<void> {
    const post = Array.from({ length: 2_000 }, () => runOf(crypto.randomUUID()));
    await this.#call("/langsmith/runs/batch", { post });
    this.applied.bodies += 1;
  }

  async #export(): Promise<void> {
    const headers = { "x-api-key": this.key };
    await this.#sent(fetch(`${this.url}/v1/traces/export?format=csv`, { headers }));
    this.applied.streams += 1;
  }

  #call(path: string, body: unknown): Promise<void> {
    const headers = { "content-type": "application/json", "x-api-key": this.key };
    return this.#sent(fetch(this.url + path, { method: "POST", headers, body: JSON.stringify(body) }));
  }

  /** Reads an answer to its end. @throws Error it is a refusal */
  async #sent(asked: Promise<Response>): Promise<void> {
    const answer = await asked;
    for await (const _ of answer.body ?? []);
    if (!answer.ok) throw new Error(`refused: ${answer.status}`);
  }
}

/** As large as an archive of random bytes is. */
const LARGE_ARCHIVE = gzipSync(
  archiveOf({
    "large.bin": Buffer.from(crypto.getRandomValues(new Uint8Array(65_536)))
      .toString("hex")
      .repeat(UPLOAD_BYTES / 131_072),
  }),
);

function runOf(id: string) {
  const now = new Date().toISOString();
  const times = { start_time: now, end_time: now };
  const order = `20261128T000000000000Z${id}`;
  const bodies = { inputs: { text: "x".repeat(500) }, outputs: { text: "y".repeat(500) } };
  return {
    id,
    trace_id: id,
    dotted_order: order,
    name: "r",
    run_type: "chain",
    session_name: "load",
    ...times,
    ...bodies,
  };
}
