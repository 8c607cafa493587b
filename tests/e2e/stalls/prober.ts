import { parentPort } from "node:worker_threads";

// A worker of its own: what the test does beside it keeps neither its requests nor its clock waiting.

/** What it is asked: which server to ask, to begin, or to end and say how long the longest answer took (ms). */
export type Asked = { url: string } | "begin" | "worst";

let url = "";
let worst = 0;
let asked = performance.now();
/** Whether somebody wants to know: it asks hundreds of times a second, and nobody pays for that in between. */
let wanted = false;
let asking = false;

async function probe(): Promise<void> {
  if (asking) return;
  asking = true;
  while (wanted) {
    asked = performance.now();
    await (await fetch(`${url}/ok`)).arrayBuffer();
    worst = Math.max(worst, performance.now() - asked);
    await Bun.sleep(2);
  }
  asking = false;
}

parentPort?.on("message", (what: Asked) => {
  if (typeof what === "object") ({ url } = what);
  else if (what === "begin") {
    worst = 0;
    wanted = true;
    void probe();
  } else wanted = false;
  // One that waits still has waited at least so long.
  parentPort?.postMessage(Math.max(worst, performance.now() - asked));
});
