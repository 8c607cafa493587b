import { parentPort } from "node:worker_threads";

// A worker of its own: what the test does beside it keeps neither its requests nor its clock waiting.

/** What it is asked: to ask this server from now on, to forget what was, or how long the longest answer took (ms). */
export type Asked = { url: string } | "begin" | "worst";

let url = "";
let worst = 0;
let asked = performance.now();

async function probe(): Promise<void> {
  for (;;) {
    asked = performance.now();
    await (await fetch(`${url}/ok`)).arrayBuffer();
    worst = Math.max(worst, performance.now() - asked);
    await Bun.sleep(2);
  }
}

parentPort?.on("message", (what: Asked) => {
  if (typeof what === "object") {
    ({ url } = what);
    void probe();
  } else if (what === "begin") worst = 0;
  // One that waits still has waited at least so long.
  parentPort?.postMessage(Math.max(worst, performance.now() - asked));
});
