import { beforeAll, expect } from "bun:test";
import { template } from "../../e2e/berth-process.ts";
import { until } from "../../e2e/condition.ts";
import { AT_ONCE_MS, WAIT_LIMIT_MS } from "../../limits.ts";
import { describeUnless, notLong } from "../../skips.ts";
import { describeInBrowser } from "../offline-browser.ts";
import type { ConsoleTab } from "./console-tab.ts";
import { RunsRig, type Trace } from "./runs-rig.ts";
import { servedConsole } from "./served-console.ts";

const MANY = 10_000;
const SESSION = { session: "nightly-jobs" };

describeInBrowser("runs, traces and threads", () => {
  const served = servedConsole({ project: template("deep-agent"), env: { ENGINE_INTERVAL: "0" } });
  const rig = new RunsRig(served.api, "deep-agent");
  const made = { weather: "", failed: [] as Trace[], talk: "", many: "" };

  beforeAll(async () => {
    const stopped = { config: { recursion_limit: 2, tags: ["nightly"] } };
    const threads = await Promise.all([1, 2, 3, 4].map((number) => rig.thread({ user: `u${number}` })));
    const [weather = "", ...others] = threads;
    made.weather = (await rig.run(weather, "What is the weather in Rome?")).id;
    made.talk = weather;
    const feedback = { key: "helpful", score: 1, comment: "just right" };
    await served.api.ask("PUT", `/api/threads/${weather}/runs/${made.weather}/feedback`, feedback);
    made.failed = await Promise.all(others.map((thread) => rig.run(thread, "this one is stopped", stopped)));
    made.many = await rig.report(SESSION.session, MANY);
  });

  /** A run whose thread was deleted. */
  const gone = async () => {
    const thread = await rig.thread();
    const { id } = await rig.run(thread, "forget me");
    await served.api.ask("DELETE", `/threads/${thread}`);
    return id;
  };

  const rows = (tab: ConsoleTab) => tab.part("table-row");
  const counted = (tab: ConsoleTab, count: number) =>
    until(
      `${count} rows`,
      () => rows(tab).count(),
      (found) => found === count,
    );

  served.test(
    "runs are narrowed by what is in the address, and new ones come on top by themselves",
    async (tab) => {
      await tab.open("/runs");
      await counted(tab, 4);
      expect(await tab.barriers()).toEqual([]);
      await tab.part("filter-status").selectOption("error");
      await counted(tab, 3);
      expect(tab.place).toBe("/runs?status=error");
      await rows(tab).first().getByText("Recursion limit of 2").waitFor();
      await tab.part("more-filters").click();
      await tab.part("filter-tag").fill("daily");
      await tab.part("empty").getByText("No runs match").waitFor();
      await tab.part("clear-filters").click();
      await counted(tab, 4);
      await rig.run(await rig.thread(), "and one more");
      await rows(tab).first().getByText("and one more").waitFor();
      await counted(tab, 5);
    },
  );

  served.test(
    "a trace shows what a run did, by keyboard too, and leads to its issue and its thread",
    async (tab) => {
      await tab.open(`/traces/${made.weather}`);
      const chosen = tab.page.locator("[role=treeitem][aria-selected=true]");
      await chosen.getByText("deep-agent").click();
      await tab.part("inputs").getByText("What is the weather in Rome?").waitFor();
      await tab.part("feedback").getByText("just right").waitFor();
      const level = async () => [
        await chosen.getAttribute("data-span"),
        await chosen.getAttribute("aria-level"),
      ];
      await tab.page.keyboard.press("ArrowRight");
      expect((await level())[1]).toBe("2");
      await tab.page.keyboard.press("End");
      await tab.page.keyboard.press("Home");
      expect(await level()).toEqual(["deep-agent", "1"]);
      await tab.page.keyboard.press("ArrowLeft");
      expect(await tab.part("span").count()).toBe(1);
      await tab.page.keyboard.press("ArrowRight");
      const tool = tab.part("span").and(tab.page.locator("[data-span=get_weather]"));
      await tool.click();
      await tab.part("outputs").getByText("18 °C").first().waitFor();
      expect(await tab.part("span-detail").getByText("Tool call", { exact: true }).count()).toBe(1);
      await until(
        "the span in the address",
        async () => tab.place,
        (place) => place.includes("?span="),
      );
      await tab.part("span").and(tab.page.locator("[data-span=OfflineChatModel]")).last().click();
      await tab
        .part("span-detail")
        .getByText(/\d+ in, \d+ out/)
        .waitFor();
      await tab.part("inputs-raw").click();
      expect(await tab.part("inputs").getByTestId("json").textContent()).toContain('"messages"');
      expect(await tab.barriers()).toEqual([]);
      // The thread as it was before this step: its history opens there.
      const link = await tab.part("open-checkpoint").getAttribute("href");
      await tab.part("open-checkpoint").click();
      const checkpoint = new URL(tab.page.url()).searchParams.get("checkpoint");
      expect(link).toContain(`/chat/${made.talk}?checkpoint=${checkpoint}`);
      const open = tab.page.locator(`#checkpoint-${checkpoint}`);
      await open.getByTestId("fork-here").waitFor();
      expect(await open.getByText(String(checkpoint)).count()).toBe(1);
    },
  );

  served.test("a failed run is tried again, forked, and belongs to its issue", async (tab) => {
    const { id: failed = "", session_id } = made.failed[0] ?? {};
    await served.api.ask("POST", "/v1/engine/scan", { session_id });
    await tab.open(`/traces/${failed}`);
    await tab.part("span-error").getByText("GraphRecursionError").waitFor();
    await tab.part("trace-issue").first().waitFor();
    expect(await tab.part("trace-issue").first().getAttribute("href")).toMatch(
      /^\/console\/issues\/[0-9a-f-]{36}$/,
    );
    await tab.part("retry").click();
    await until(
      "the new trace is open",
      async () => tab.place,
      (place) => !place.endsWith(failed),
    );
    await tab.part("span-error").getByText("GraphRecursionError").waitFor();
    await tab.part("inputs").getByText("this one is stopped").waitFor();
    await tab.open(`/traces/${made.weather}`);
    await tab.part("span").and(tab.page.locator("[data-span=tools]")).click();
    await tab.part("fork").click();
    await tab.part("composer-text").waitFor();
    const forked = /\/chat\/([0-9a-f-]{36})/.exec(tab.page.url())?.[1];
    expect(forked).not.toBe(made.talk);
    const state = await served.api.ask<{ next: string[] }>("GET", `/threads/${forked}/state`);
    // It goes on where the other one called its tool.
    expect(state.next).toEqual(["tools"]);
  });

  served.test("a trace is deleted, and one whose thread was deleted says so", async (tab) => {
    const id = await gone();
    await tab.open(`/traces/${id}`);
    await tab.page.getByText("Its thread was deleted, and with it the inputs").waitFor();
    expect(await tab.page.getByText("forget me").count()).toBe(0);
    await tab.part("delete-trace").click();
    await tab.part("confirm-dialog").getByText("The thread and its messages stay").waitFor();
    expect(await tab.barriers()).toEqual([]);
    await tab.part("confirm").click();
    await rows(tab).first().waitFor();
    await expect(served.api.ask("GET", `/v1/traces/${id}`)).rejects.toThrow("404");
  });

  served.test("threads are found, looked into, opened and deleted", async (tab) => {
    await tab.open("/threads");
    await tab.row("What is the weather in Rome?").first().waitFor();
    expect(await tab.barriers()).toEqual([]);
    await tab.part("filter-metadata").fill("user=u2");
    await counted(tab, 1);
    await tab.part("filter-metadata").fill("");
    await tab.part("filter-q").fill("STOPPED");
    await tab.part("filter-status").selectOption("error");
    const [before] = await until(
      "only those that failed",
      () => Promise.all([rows(tab).count(), tab.row("this one is stopped").count()]),
      ([all, stopped]) => stopped >= 3 && all === stopped,
    );
    await tab.row("this one is stopped").last().getByRole("button").click();
    const preview = tab.part("thread-preview");
    await preview.getByTestId("thread-state").getByText("this one is stopped").waitFor();
    expect(await tab.barriers()).toEqual([]);
    expect(await tab.part("thread-chat").getAttribute("href")).toMatch(/^\/chat\/[0-9a-f-]{36}$/);
    await tab.part("delete-thread").click();
    await tab.part("confirm").click();
    await counted(tab, before - 1);
    expect(tab.place).not.toContain("thread=");
  });

  served.test(
    "ten thousand runs scroll with few of them on the page, and what is new waits above",
    async (tab) => {
      await tab.page.addInitScript(watchLongTasks);
      await tab.open(`/runs?session_id=${made.many}`);
      await rows(tab).first().waitFor();
      const box = tab.page.locator(".virtual-table");
      await tab.page.evaluate(toTheEnd, { count: MANY, limitMs: WAIT_LIMIT_MS });
      await tab.row("nightly 0").last().waitFor();
      await tab.page.evaluate(() => window.longTasks?.splice(0));
      const most = await tab.page.evaluate(throughTheList);
      const tasks = (await tab.page.evaluate(() => window.longTasks)) ?? [];
      console.log(`10,000 runs scrolled: long tasks of ${tasks.map(Math.round).join(", ") || "no"} ms`);
      expect(most).toBeLessThan(80);
      expect(Math.max(0, ...tasks)).toBeLessThan(AT_ONCE_MS);
      const place = () => box.evaluate(({ scrollTop }) => scrollTop);
      await box.evaluate((list) => list.scrollTo({ top: 200_000 }));
      const resting = await place();
      await rig.report(SESSION.session, 1);
      await tab.part("new-runs").getByText("1 new run").waitFor();
      expect(await place()).toBe(resting);
      await tab.part("new-runs").click();
      await until("the top", place, (top) => top === 0);
      await tab.part("new-runs").waitFor({ state: "detached" });
    },
  );

  // Building and starting a deployment takes longer than all the others together.
  describeUnless(notLong)("of a deployment", () => {
    served.test("are shown and done where the deployment runs", async (tab) => {
      const { id, latest_revision_id } = await served.api.fromTemplate("talker");
      expect((await served.api.settled(id, latest_revision_id)).status).toBe("DEPLOYED");
      const deployed = new RunsRig(served.api, "chat", `/d/${id}`);
      const thread = await deployed.thread();
      const { id: run } = await deployed.run(thread, "hello from afar");
      await tab.open(`/runs?at=${id}`);
      await counted(tab, 1);
      await rows(tab).first().getByText("hello from afar").waitFor();
      await tab.open(`/threads?at=${id}&thread=${thread}`);
      const chat = await tab.part("thread-chat").getAttribute("href");
      expect(chat).toBe(`/d/${id}/chat/${thread}`);
      await tab.open(`/traces/${run}`);
      await tab.part("retry").click();
      await until(
        "the new trace",
        async () => tab.place,
        (place) => !place.endsWith(run),
      );
      await tab.part("inputs").getByText("hello from afar").waitFor();
      await tab.part("open-checkpoint").click();
      await tab.part("fork-here").waitFor();
    });
  });

  served.test(
    "on a phone in the dark",
    async (tab) => {
      for (const path of ["/runs", "/threads", `/traces/${made.weather}`]) {
        await tab.open(path);
        await tab.page.locator("[data-testid=table-row], [role=treeitem]").first().waitFor();
        expect(await tab.barriers()).toEqual([]);
        const overflow = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
        expect(await tab.page.evaluate(overflow)).toBe(0);
      }
    },
    { viewport: { width: 390, height: 844 }, colorScheme: "dark" },
  );
});

declare global {
  interface Window {
    longTasks?: number[];
  }
}

/** Runs in the page, before anything of it does. */
function watchLongTasks(): void {
  const tasks: number[] = [];
  window.longTasks = tasks;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) tasks.push(duration);
  }).observe({ type: "longtask" });
}

/** Runs in the page: scrolls down until so many rows are there. */
async function toTheEnd({ count, limitMs }: { count: number; limitMs: number }): Promise<void> {
  const box = document.querySelector(".virtual-table");
  const limit = performance.now() + limitMs;
  let height = 0;
  while (box && height < count * 44 && performance.now() < limit) {
    if (box.scrollHeight > height) {
      height = box.scrollHeight;
      box.scrollTop = height;
    }
    await new Promise(requestAnimationFrame);
  }
}

/** Runs in the page: scrolls as a wheel does, and jumps. Gives the most rows that were on the page at once. */
async function throughTheList(): Promise<number> {
  const box = document.querySelector(".virtual-table");
  let most = 0;
  for (let step = 0; box && step < 100; step++) {
    box.scrollTop = step % 10 === 0 ? (box.scrollHeight * (100 - step)) / 100 : box.scrollTop - 300;
    await new Promise(requestAnimationFrame);
    most = Math.max(most, box.querySelectorAll("[data-testid=table-row]").length);
  }
  return most;
}
