import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { TEST_LIMIT_MS } from "../limits.ts";
import { start } from "./berth-process.ts";

const KEY = "the-key-of-these-tests";
const BODIES = 40;
/** One byte less than declared, which is the most that a payload may have. */
const SENT_BYTES = 5_242_879;
const HEAD = [
  "host: localhost",
  "content-type: application/json",
  "x-github-event: push",
  `x-hub-signature-256: sha256=${"0".repeat(64)}`,
  `content-length: ${SENT_BYTES + 1}`,
].join("\r\n");
const MAX_GROWTH_KB = 100_000;

const residentKb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);

/** Sends a body but for its last byte, as far as the server reads it; resolves with the status of the answer. */
async function sendUnfinished(url: string, path: string): Promise<number> {
  const { hostname, port } = new URL(url);
  const { promise, resolve } = Promise.withResolvers<number>();
  const piece = Buffer.alloc(65_536, 120);
  let left = SENT_BYTES;
  const pump = (socket: { write(data: Uint8Array): number }) => {
    while (left > 0) {
      const written = socket.write(piece.subarray(0, left));
      if (written <= 0) return;
      left -= written;
    }
  };
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      drain: pump,
      data: (_, data) => resolve(Number(data.toString().split(" ")[1])),
      close: () => resolve(0),
    },
  });
  socket.write(`POST ${path} HTTP/1.1\r\n${HEAD}\r\n\r\n`);
  pump(socket);
  return promise.finally(() => socket.end());
}

test(
  "payloads with a forged signature take no memory, and never last long",
  async () => {
    const berth = await start({ env: { SERVICE_API_KEY: KEY, GITHUB_API_URL: "http://127.0.0.1:9" } });
    try {
      const response = await fetch(`${berth.url}/v2/deployments`, {
        method: "POST",
        headers: { "x-api-key": KEY, "content-type": "application/json" },
        body: JSON.stringify({
          name: "hooked",
          source: "github",
          source_config: { repo_url: "https://github.com/octo/agents", build_on_push: true },
          source_revision_config: { repo_ref: "main", langgraph_config_path: "graph.json" },
          secrets: [],
        }),
      });
      expect([response.status, response.ok ? "" : await response.text()]).toEqual([201, ""]);
      const { id } = (await response.json()) as { id: string };
      const before = residentKb(berth.pid);
      let mostKb = before;
      const watch = setInterval(() => {
        mostKb = Math.max(mostKb, residentKb(berth.pid));
      }, 50);
      const path = `/v2/deployments/${id}/push-hook`;
      const statuses = await Promise.all(
        Array.from({ length: BODIES }, () => sendUnfinished(berth.url, path)),
      );
      clearInterval(watch);
      // Two are read, until they take too long; the others of this client have waited for their turn in vain.
      expect(statuses.toSorted()).toEqual([408, 408, ...Array.from({ length: BODIES - 2 }, () => 429)]);
      expect(mostKb - before).toBeLessThan(MAX_GROWTH_KB);
      expect((await fetch(`${berth.url}/ok`)).status).toBe(200);
    } finally {
      await berth.stop();
    }
  },
  TEST_LIMIT_MS,
);
