import { afterAll, beforeAll, expect } from "bun:test";
import { join } from "node:path";
import { template } from "../../e2e/berth-process.ts";
import { until } from "../../e2e/condition.ts";
import { TEST_LIMIT_MS } from "../../limits.ts";
import { startReceiver } from "../../server/delivery/receiver.ts";
import { LOOKS } from "../looks.ts";
import { describeInBrowser } from "../offline-browser.ts";
import { RunsRig } from "./runs-rig.ts";
import { servedConsole } from "./served-console.ts";

/** A folder for pictures of the screens, for people to look at. */
const SHOTS = process.env.BERTH_SHOTS;

type Page = { resources: { id: string }[] };

describeInBrowser("every screen of the console", () => {
  const receiver = startReceiver();
  afterAll(() => receiver.stop());
  const served = servedConsole({
    project: template("chat"),
    env: { ENGINE_INTERVAL: "0", WEBHOOK_ALLOW: "127.0.0.0/8" },
  });
  const { api } = served;
  const rig = new RunsRig(api, "chat");
  let screens: Record<string, string> = {};
  beforeAll(async () => {
    const deployed = await api.fromTemplate("greeter");
    const failing = await rig.report("nightly", 60);
    const thread = await rig.thread({ user: "ada" });
    const run = await rig.run(thread, "What is the weather in Lisbon?");
    await api.ask("POST", "/v1/engine/scan", {});
    const found = await until(
      "an issue",
      () => api.ask<Page>("GET", `/v1/issues?session_id=${failing}`),
      ({ resources }) => resources.length > 0,
    );
    const webhook = await api.ask<{ id: string }>("POST", "/v1/issue-webhooks", {
      url: `${receiver.url}hook`,
      severity_threshold: 2,
    });
    screens = {
      home: "/",
      deployments: "/deployments",
      deployment: `/deployments/${deployed.id}`,
      "new-deployment": "/deployments/new",
      settings: `/deployments/${deployed.id}/settings`,
      assistants: "/assistants",
      studio: `/studio?thread=${thread}`,
      threads: "/threads",
      runs: "/runs?session_id=all",
      trace: `/traces/${run.id}`,
      figures: "/figures?range=1h",
      issues: "/issues",
      issue: `/issues/${found.resources[0]?.id}`,
      webhooks: "/webhooks",
      webhook: `/webhooks/${webhook.id}`,
      crons: "/crons",
      store: "/store",
      keys: "/keys",
      system: "/system",
      nowhere: "/nowhere",
    };
  }, TEST_LIMIT_MS);

  for (const { on, width, height, colorScheme } of LOOKS)
    served.test(
      `can be used and is no wider than the window, ${colorScheme}, on a ${on}`,
      async (tab) => {
        const found: string[] = [];
        for (const [name, path] of Object.entries(screens)) {
          if (name === "nowhere") {
            await tab.page.goto(`${served.url}/console${path}`);
            await tab.page.getByText("Page not found").waitFor();
          } else await tab.open(path);
          await until(
            `${name} is there`,
            () => tab.page.locator(".loading").count(),
            (count) => count === 0,
          );
          found.push(...(await tab.barriers()).map((line) => `${name}: ${line}`));
          found.push(...(await tab.page.evaluate(tooWide)).map((line) => `${name}: ${line}`));
          if (SHOTS) await tab.page.screenshot({ path: join(SHOTS, `${name}-${on}-${colorScheme}.png`) });
        }
        expect(found).toEqual([]);
      },
      { viewport: { width, height }, colorScheme },
    );
});

/** What reaches beyond the window, and cannot be scrolled to in a box of its own. */
function tooWide(): string[] {
  const over = document.documentElement.scrollWidth - window.innerWidth;
  const cut = [...document.querySelectorAll("#screen :is(a, button, input, select, textarea, h1, h2, dd)")]
    .filter((part) => part.getBoundingClientRect().right > window.innerWidth + 1)
    .filter((part) => !part.closest(".tabs, .table-scroll, .graph-scroll, pre, .visually-hidden"))
    .map((part) => `“${part.textContent?.trim().slice(0, 40)}” is cut off`);
  return [...(over > 0 ? [`${over} pixels too wide`] : []), ...cut];
}
