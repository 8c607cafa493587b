import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { until } from "./condition.ts";

/** Longer than a cancelled run waits for its nodes. */
const LONG_SECONDS = 60;

/** Cancels runs whose node does not heed it. */
export function waitsForNodes(berth: { readonly url: string }): void {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "berth-stubborn-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function cancelled(seconds: number) {
    const client = new Client({ apiUrl: berth.url });
    const file = join(folder, crypto.randomUUID());
    const { thread_id } = await client.threads.create();
    const { run_id } = await client.runs.create(thread_id, "stubborn", { input: { seconds, file } });
    await until("its node runs", async () => existsSync(`${file}.begun`), Boolean);
    const path = `/threads/${thread_id}/runs/${run_id}`;
    const answer = await fetch(`${berth.url}${path}/cancel?wait=1`, { method: "POST" });
    const hasEnded = existsSync(`${file}.ended`);
    return { answer: answer.status, hasEnded, run: (await client.runs.get(thread_id, run_id)).status };
  }

  test("a cancel that waits is answered when the node has ended", async () => {
    expect(await cancelled(1)).toEqual({ answer: 204, hasEnded: true, run: "interrupted" });
  });

  test("a cancel that waits says that a node is still running", async () => {
    expect(await cancelled(LONG_SECONDS)).toEqual({ answer: 202, hasEnded: false, run: "interrupted" });
  });
}
