import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Agent, Run } from "@berth/agent";
import { openRunsRig, startRun } from "./runs-rig.ts";

const TTL_MS = 60_000;
const LATER = { after_seconds: 3_600 };

let rig: Awaited<ReturnType<typeof openRunsRig>>;
let agent: Agent;
beforeEach(async () => {
  rig = await openRunsRig();
  ({ agent } = await rig.openAgent({ eventsTtlMs: TTL_MS }));
});
afterEach(() => rig.close());

/** What somebody hears of a run who begins to read it now. */
async function heard(run: Run): Promise<string> {
  let text = "";
  for await (const frame of agent.runs.stream(
    run,
    { seq: 0, part: 0 },
    undefined,
    new AbortController().signal,
  ))
    text += frame;
  return text;
}

test.each(["by itself", "by the next one of its thread"])(
  "a run that was cancelled before it began, %s, says so as long as others say how they ended",
  async (how) => {
    const run = await startRun(agent, "steps", { total: 1 }, LATER);
    if (how === "by itself") await agent.runs.cancel(run, "interrupt");
    else
      await agent.runs.create(
        { assistant_id: "steps", input: { total: 1 }, multitask_strategy: "interrupt", ...LATER },
        { threadId: run.thread_id, headers: {}, follow: "none" },
      );
    await agent.sweep(rig.now());
    expect(await heard(run)).toContain("event: error");
    rig.advance(TTL_MS);
    await agent.sweep(rig.now());
    expect(await heard(run)).toBe("");
  },
);
