import { expect, test } from "bun:test";
import { until } from "../condition.ts";
import { forEachSdk } from "../sdk.ts";
import { servedBerth } from "../served-berth.ts";

const berth = servedBerth();
const input = { messages: [{ role: "human", content: "hello" }] };

forEachSdk((Client) => {
  test("a wait whose run is cancelled before it began gives an object, which says so", async () => {
    const client = new Client({ apiUrl: berth.url });
    const { thread_id } = await client.threads.create();
    const payload = { input, afterSeconds: 3_600, raiseError: false };
    const waited = client.runs.wait(thread_id, "agent", payload as never);
    const [run] = await until(
      "the run is there",
      () => client.runs.list(thread_id),
      (runs) => runs.length > 0,
    );
    await client.runs.cancel(thread_id, run?.run_id ?? "");
    expect(await waited).toEqual({ __error__: { error: "Error", message: "interrupt" } } as never);
  });
});
