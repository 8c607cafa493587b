import { expect, test } from "bun:test";
import { describeCase, type ServedCase, send } from "./case.ts";

/** A run that stores what its graph refuses to read, and the reason that clients are to receive. */
type Poison = { graph: string; input?: object; configurable?: object; reason: string };

function poisonTests(served: ServedCase, poisons: Poison[]): void {
  test.each(poisons)("reads of a state that $graph refuses are 400 with the reason", async (poison) => {
    const { graph, input = { how: "poison" }, configurable = {}, reason } = poison;
    const created = await send(served, "POST", "/threads", "{}");
    const path = `/threads/${JSON.parse(created.text).thread_id}`;
    const run = JSON.stringify({ assistant_id: graph, input, config: { configurable } });
    expect((await send(served, "POST", `${path}/runs/wait`, run)).status).toBe(200);
    for (const read of ["state", "history"]) {
      const { status, text } = await send(served, "GET", `${path}/${read}`);
      expect([status, text]).toEqual([400, expect.stringContaining(reason)]);
    }
    // What is stored remains readable.
    expect((await send(served, "GET", path)).status).toBe(200);
    expect((await send(served, "GET", `/assistants/${graph}/schemas`)).status).toBe(200);
  });
}

describeCase("javascript/poisoned-state", (served) => {
  poisonTests(served, [
    { graph: "rebuilt", reason: "the reducer refuses this value" },
    { graph: "initial", reason: "toJSON refuses this value" },
    { graph: "factory", configurable: { poison: true }, reason: "the factory refuses this value" },
  ]);
});

describeCase("python/poisoned-state", (served) => {
  poisonTests(served, [
    { graph: "pyd", input: { how: "none" }, reason: "Input should be a valid string" },
    { graph: "rebuilt", reason: "the reducer refuses this value" },
    { graph: "factory", configurable: { poison: true }, reason: "the factory refuses this value" },
  ]);
});
