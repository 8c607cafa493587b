import { afterAll, beforeAll, expect, test } from "bun:test";
import { withoutPostgres } from "../../postgres/server.ts";
import { describeUnless } from "../../skips.ts";
import type { BerthProcess } from "../berth-process.ts";
import { until } from "../condition.ts";
import { ask, call } from "../crash-http.ts";
import { Berths } from "./berths.ts";

describeUnless(withoutPostgres())("a call of a tool that is cancelled at another Berth", () => {
  let berths: Berths;
  let a: BerthProcess;
  let b: BerthProcess;

  beforeAll(async () => {
    berths = await Berths.on();
    const options = { project: `${import.meta.dir}/../mcp/project` };
    [a, b] = await Promise.all([berths.start(options), berths.start(options)]);
  });
  afterAll(() => berths.stop());

  const headers = {
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2025-11-25",
    "user-agent": "one client",
  };
  const post = (url: string, message: object) =>
    call(url, "POST", "/mcp", { jsonrpc: "2.0", ...message }, headers);

  test("stops its run", async () => {
    const name = crypto.randomUUID();
    const state = () =>
      call(b.url, "GET", `/store/items?namespace=slow&key=${name}`).then(
        ({ body }) => (body as { value?: { state?: string } } | null)?.value?.state,
      );
    const calling = post(a.url, {
      id: 7,
      method: "tools/call",
      params: { name: "slow", arguments: { name } },
    });
    await until("the run to begin", state);
    const params = { requestId: 7, reason: "enough" };
    expect((await post(b.url, { method: "notifications/cancelled", params })).status).toBe(202);
    expect(await until("the run to stop", state, (now) => now === "stopped")).toBe("stopped");
    await calling;
    expect(await ask(a.url, "GET", "/ok")).toEqual({ ok: true });
  });
});
