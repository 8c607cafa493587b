import { expect } from "bun:test";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { until } from "../../e2e/condition.ts";
import { LOOKS } from "../looks.ts";
import { describeInBrowser } from "../offline-browser.ts";
import type { ConsoleTab } from "./console-tab.ts";
import { servedConsole } from "./served-console.ts";

const PROJECT = join(import.meta.dir, "studio-project");

type State = { values: Record<string, unknown>; next: string[] };

describeInBrowser("the studio", () => {
  const served = servedConsole({ project: PROJECT });
  const { api } = served;

  /** The id of a graph's own assistant. */
  const assistantOf = async (graph_id: string) => {
    const [found] = await api.ask<{ assistant_id: string }[]>("POST", "/assistants/search", { graph_id });
    return found?.assistant_id ?? "";
  };
  const open = async (tab: ConsoleTab, graph = "orders", more = "") => {
    await tab.open(`/studio?assistant=${await assistantOf(graph)}${more}`);
    await tab.part("input-panel").waitFor();
    await tab.part("graph-node").first().waitFor();
  };
  const node = (tab: ConsoleTab, name: string): Locator => tab.page.locator(`[data-node="${name}"]`);
  const isLit = (tab: ConsoleTab, name: string, state: string) =>
    tab.page.locator(`[data-node="${name}"][data-state="${state}"]`).waitFor();
  const run = async (tab: ConsoleTab, order: string, currency = "") => {
    await tab.page.locator('textarea[name="order"]').fill(order);
    await tab.page.locator('textarea[name="currency"]').fill(currency);
    await tab.part("studio-run").click();
  };
  const threadOf = (tab: ConsoleTab) => new URL(tab.page.url()).searchParams.get("thread") ?? "";
  const stateOf = (tab: ConsoleTab) => api.ask<State>("GET", `/threads/${threadOf(tab)}/state`);
  const settled = async (tab: ConsoleTab, what: string, is: (state: State) => boolean) => {
    await tab.page.waitForURL((url) => url.searchParams.has("thread"));
    return await until(what, () => stateOf(tab), is);
  };
  /** The newest step that some node made. */
  const step = (tab: ConsoleTab, words: string): Locator =>
    tab
      .part("step")
      .filter({ has: tab.page.locator(".step-words", { hasText: words }) })
      .first();

  served.test("a run lights the graph; a node tells what went in and came out", async (tab) => {
    await open(tab);
    expect(await tab.barriers()).toEqual([]);
    await run(tab, "tea, slow");
    await isLit(tab, "read", "running");
    await isLit(tab, "confirm", "done");
    await isLit(tab, "ship:label", "done");
    expect(await node(tab, "approve").getAttribute("data-state")).toBe("idle");
    await tab.part("studio-state").getByText("Done: On its way for 20, 20 EUR").waitFor();
    await node(tab, "price").click();
    await tab.part("node-in").getByText('"slow"').waitFor();
    await tab.part("node-out").getByText('"total": 20').waitFor();
    await node(tab, "ship:label").click();
    await tab.part("node-out").getByText("On its way for 20").waitFor();
    expect(await tab.barriers()).toEqual([]);
    // It is all there after a reload, from what the server keeps.
    await tab.page.reload();
    await isLit(tab, "confirm", "done");
    await tab.part("show-subgraphs").click();
    await isLit(tab, "ship", "done");
    await tab.part("studio-trace").click();
    await tab.page.waitForURL(/\/console\/traces\/[0-9a-f-]{36}/);
    await tab.part("page-title").waitFor();
  });

  served.test("a failed run is mended: its state is edited, and it runs on", async (tab) => {
    await open(tab);
    await run(tab, "tea, milk", "XXX");
    await isLit(tab, "price", "failed");
    await tab.part("failed").getByText("There is no rate for XXX.").waitFor();
    await step(tab, "read").getByTestId("step-open").click();
    await tab.part("edit-state").click();
    const text = tab.part("state-text");
    const values = JSON.parse(await text.inputValue());
    await text.fill("{ half");
    await tab.part("state-editor").getByText("This is not valid JSON").waitFor();
    expect(await tab.part("save-and-run").isDisabled()).toBe(true);
    // A list that the graph adds up becomes exactly what is written.
    await text.fill(JSON.stringify({ ...values, currency: "USD", items: ["coffee"] }));
    expect(await tab.barriers()).toEqual([]);
    await tab.part("save-and-run").click();
    await isLit(tab, "confirm", "done");
    const { values: now } = await settled(tab, "the end", ({ next }) => next.length === 0);
    expect(now).toMatchObject({ currency: "USD", items: ["coffee"], total: 11 });
    await step(tab, "State edited").getByText("currency").first().waitFor();
  });

  served.test("time travel: another way from a checkpoint, the branches, a fork", async (tab) => {
    await open(tab);
    await run(tab, "tea");
    await settled(tab, "the end", ({ next }) => next.length === 0);
    await step(tab, "read").getByTestId("step-open").click();
    await step(tab, "read").getByTestId("run-from-here").click();
    await tab.part("branches").getByText("2 of 2").waitFor();
    await tab.page.getByRole("button", { name: "The branch before" }).click();
    await tab.part("branches").getByText("1 of 2").waitFor();
    await step(tab, "confirm").getByTestId("step-open").click();
    await step(tab, "confirm").getByTestId("input-from-here").click();
    await tab.part("from").waitFor();
    await run(tab, "milk, bread");
    const { values } = await settled(tab, "the second order", (state) => state.values.total === 30);
    expect(values.items).toEqual(["tea", "milk", "bread"]);
    await tab.part("studio-state").getByText("30 EUR").waitFor();
    const before = threadOf(tab);
    await step(tab, "price").getByTestId("step-open").click();
    await step(tab, "price").getByTestId("fork").click();
    await tab.page.waitForURL((url) => url.searchParams.get("thread") !== before);
    const forked = await settled(tab, "the copy", ({ next }) => next.length > 0);
    expect(forked.values).toMatchObject({ total: 30 });
    await tab.part("stands").getByText("Paused before ship").waitFor();
    await tab.part("continue").click();
    await settled(tab, "the end of the copy", ({ next }) => next.length === 0);
  });

  served.test("who looks at another branch stays there while the run writes on", async (tab) => {
    await open(tab);
    await run(tab, "tea, late");
    await settled(tab, "the end", ({ next }) => next.length === 0);
    await step(tab, "read").getByTestId("step-open").click();
    await step(tab, "read").getByTestId("run-from-here").click();
    await tab.part("branches").getByText("2 of 2").waitFor();
    const isWritten = tab.page.waitForResponse(async (answer) => {
      if (!answer.url().endsWith("/history")) return false;
      const [newest, before] = (await answer.json()) as { next: string[] }[];
      return newest?.next.length === 0 && before?.next[0] === "confirm";
    });
    await isLit(tab, "confirm", "running");
    await tab.page.getByRole("button", { name: "The branch before" }).click();
    await tab.part("branches").getByText("1 of 2").waitFor();
    await isWritten;
    await tab.part("steps").getByText("Success").waitFor();
    expect(await tab.part("branches").textContent()).toContain("1 of 2");
    // Another run is something new, and is looked at.
    await run(tab, "milk");
    await tab.part("branches").getByText("2 of 2").waitFor();
  });

  served.test("breakpoints, steps and questions stop a run, and it goes on", async (tab) => {
    await open(tab);
    await node(tab, "ship:pack").click();
    expect(await tab.part("stop-before").count()).toBe(0);
    await node(tab, "price").click();
    await tab.part("stop-after").click();
    await run(tab, "a, b, c, d, e");
    await tab.part("stands").getByText("Paused before approve").waitFor();
    await tab.part("step-by-step").click();
    await tab.part("stop-after").click();
    await tab.part("continue").click();
    await tab.part("asks").getByText("Ship for 50?").waitFor();
    await isLit(tab, "approve", "waiting");
    expect(await tab.barriers()).toEqual([]);
    await tab.part("answer").fill("yes");
    await tab.part("send-answer").click();
    await tab.part("stands").getByText("Paused before ship").waitFor();
    await tab.part("step-by-step").click();
    await tab.part("continue").click();
    const { values } = await settled(tab, "the end", ({ next }) => next.length === 0);
    expect(values.answer).toContain("On its way for 50");
    await run(tab, "slow");
    await tab.part("studio-stop").click();
    await tab.part("steps").getByText("Interrupted").waitFor();
  });

  served.test("two runs side by side, each with settings of its own, one kept as a version", async (tab) => {
    await open(tab, "talk");
    await tab.part("compare").click();
    const [a, b] = [tab.part("lane-assistant"), tab.part("lane-with")];
    await b.getByTestId("studio-settings").click();
    await b.locator('textarea[name="prompt"]').fill("I heard");
    await tab.page.locator('textarea[name="messages"]').fill("Good morning");
    await tab.part("studio-run").click();
    await a.getByTestId("studio-state").getByText("You said: Good morning").waitFor();
    await b.getByTestId("studio-state").getByText("I heard: Good morning").waitFor();
    expect(await tab.barriers()).toEqual([]);
    // A message that was said is changed, and the answer comes anew.
    await a.getByTestId("step").filter({ hasText: "Start" }).getByTestId("step-open").click();
    await a.getByTestId("edit-state").click();
    const text = a.getByTestId("state-text");
    await text.fill((await text.inputValue()).replace("Good morning", "Good night"));
    await a.getByTestId("save-and-run").click();
    await a.getByTestId("studio-state").getByText("You said: Good night").waitFor();
    await b.getByTestId("save-version").click();
    const id = await assistantOf("talk");
    const kept = await until(
      "the new version",
      () => api.ask<{ version: number; context: unknown }>("GET", `/assistants/${id}`),
      ({ version }) => version === 2,
    );
    expect(kept.context).toEqual({ prompt: "I heard" });
    await tab.page.reload();
    await b.getByTestId("studio-state").getByText("I heard: Good morning").waitFor();
    await a.getByTestId("studio-state").getByText("You said: Good night").waitFor();
  });

  let deployed: Promise<string> | undefined;
  /** A deployment for the tests of this file; the first that asks for it waits for it. */
  const helper = () => {
    deployed ??= (async () => {
      const { id, latest_revision_id } = await api.fromTemplate("helper");
      expect((await api.settled(id, latest_revision_id)).status).toBe("DEPLOYED");
      return id;
    })();
    return deployed;
  };

  for (const { on, width, height, colorScheme } of LOOKS)
    served.test(
      `of a deployment, by the keyboard alone, ${colorScheme}, on a ${on}`,
      async (tab) => {
        const id = await helper();
        const threads = () => api.ask<unknown[]>("POST", `/d/${id}/threads/search`, { limit: 100 });
        const before = (await threads()).length;
        await tab.open(`/deployments/${id}`);
        await tab.press(tab.part("open-studio"));
        await tab.part("graph-node").first().waitFor();
        await tab.reach(tab.page.locator('textarea[name="messages"]'));
        await tab.page.keyboard.insertText("How is the weather in Lisbon?");
        await tab.press(tab.part("studio-run"));
        await tab.part("studio-state").getByText("18 °C").first().waitFor();
        await isLit(tab, "tools", "done");
        await tab.reach(tab.part("graph-node"));
        await tab.page.keyboard.press("ArrowDown");
        await tab.page.keyboard.press("Enter");
        await tab.part("node-detail").getByText("tools").first().waitFor();
        await tab.press(tab.part("stop-before"), "Space");
        expect(await node(tab, "tools").textContent()).toContain("breakpoint");
        await tab.press(tab.part("step").first().getByTestId("step-open"));
        await tab.press(tab.part("edit-state"));
        await tab.reach(tab.part("state-text"));
        expect(await tab.barriers()).toEqual([]);
        expect(await tab.beyond()).toBe(0);
        expect(await threads()).toHaveLength(before + 1);
      },
      { viewport: { width, height }, colorScheme },
    );
});
