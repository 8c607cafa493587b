import { afterEach, expect, test } from "bun:test";
import { field } from "../calls.ts";
import { isRunEnd, PUMP, ThreadReader } from "./thread-reader.ts";

const lifecycle = (event: string, namespace: string[] = [], error?: string) => {
  const data = { event, ...(error && { error }) };
  const json = JSON.stringify({ event_id: `${event}-1`, method: "lifecycle", params: { namespace, data } });
  return `id: ${event}-1\nevent: lifecycle\ndata: ${json}\n\n`;
};

let server: Bun.Server<undefined> | undefined;
afterEach(() => server?.stop(true));

/** A reader of a server that sends these pieces, one a millisecond, and then keeps the stream open. */
function reading(...pieces: string[]): Promise<ThreadReader> {
  server = Bun.serve({
    port: 0,
    fetch: () =>
      new Response(
        new ReadableStream({
          async start(controller) {
            for (const piece of pieces) {
              controller.enqueue(new TextEncoder().encode(piece));
              await Bun.sleep(1);
            }
          },
        }),
        { headers: { "content-type": "text/event-stream" } },
      ),
  });
  return ThreadReader.open(`http://127.0.0.1:${server.port}`, "a-thread", PUMP);
}

test("the end of a run is seen however it is cut, also with a heartbeat behind it", async () => {
  const end = lifecycle("completed");
  const reader = await reading(lifecycle("running"), end.slice(0, 30), end.slice(30), ": heartbeat\n");
  await reader.until(isRunEnd);
  expect([...reader.events()].map(({ data }) => field(JSON.parse(data), "event_id"))).toEqual([
    "running-1",
    "completed-1",
  ]);
  reader.close();
});

test("the end of a part of a run is not its end, and a run that failed fails the measure", async () => {
  const reader = await reading(lifecycle("completed", ["model:1"]), lifecycle("failed", [], "out of tokens"));
  await expect(reader.until(isRunEnd)).rejects.toThrow("the run failed: out of tokens");
  reader.close();
});
