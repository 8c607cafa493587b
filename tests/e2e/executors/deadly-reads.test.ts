import { expect, test } from "bun:test";
import { join } from "node:path";
import { start } from "../berth-process.ts";
import { ask, call } from "../crash-http.ts";

test("code that reports to its parent process harms nothing", async () => {
  const berth = await start({ project: join(import.meta.dir, "project"), env: { EXECUTORS: "process:1" } });
  try {
    const body = { assistant_id: "breaks", input: { how: "reports" } };
    expect(await ask<object>(berth.url, "POST", "/runs/wait", body)).toMatchObject({ done: true });
  } finally {
    expect(await berth.stop()).toBe(0);
  }
});

test.skipIf(process.platform !== "linux")(
  "a read that ends every executor is a 503, and the next request is answered",
  async () => {
    const berth = await start({ project: join(import.meta.dir, "project"), env: { EXECUTORS: "process:1" } });
    try {
      const metadata = { graph_id: "dies-when-read" };
      const { thread_id } = await ask<{ thread_id: string }>(berth.url, "POST", "/threads", { metadata });
      const { status, text } = await call(berth.url, "GET", `/threads/${thread_id}/state`);
      expect({ status, text }).toMatchObject({ status: 503, text: expect.stringContaining("SIGKILL") });
      const input = { words: 1, pause: 0 };
      const body = { assistant_id: "talks", input };
      expect(await ask<object>(berth.url, "POST", "/runs/wait", body)).toBeObject();
    } finally {
      expect(await berth.stop()).toBe(0);
    }
  },
);
