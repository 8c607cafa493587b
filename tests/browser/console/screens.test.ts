import { afterAll, beforeAll, expect } from "bun:test";
import { join } from "node:path";
import { AREAS } from "../../../web/console/screens.tsx";
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
  let shown: Record<string, readonly string[]> = {};
  beforeAll(async () => {
    const deployed = await api.fromTemplate("greeter");
    const failing = await rig.report("nightly", 60);
    const thread = await rig.thread({ user: "ada" });
    const run = await rig.run(thread, "What is the weather in Lisbon?");
    const [assistant] = await api.ask<{ assistant_id: string }[]>("POST", "/assistants/search", {});
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
    const delivery = await api.ask<{ id: string }>("POST", `/v1/issue-webhooks/${webhook.id}/test`, {});
    // Screens that need an id, and those that show more with a query; all others are opened as they are declared.
    shown = {
      "/deployments/:id/:tab?": [`/deployments/${deployed.id}`, `/deployments/${deployed.id}/settings`],
      "/studio": [`/studio?thread=${thread}`],
      "/assistants/:id": [`/assistants/${assistant?.assistant_id}`],
      "/runs": ["/runs?session_id=all"],
      "/traces/:id": [`/traces/${run.id}`],
      "/figures": ["/figures?range=1h"],
      "/issues/:id": [`/issues/${found.resources[0]?.id}`],
      "/sessions/:id": [`/sessions/${failing}`],
      "/webhooks/:id": [`/webhooks/${webhook.id}`],
      "/deliveries/:id": [`/deliveries/${delivery.id}`],
    };
  }, TEST_LIMIT_MS);

  for (const { on, width, height, colorScheme } of LOOKS)
    served.test(
      `can be used and is no wider than the window, ${colorScheme}, on a ${on}`,
      async (tab) => {
        const found: string[] = [];
        for (const [name, address] of [...addresses(shown), NOWHERE]) {
          if (name === "nowhere") {
            await tab.page.goto(`${served.url}/console${address}`);
            await tab.page.getByText("Page not found").waitFor();
          } else await tab.open(address);
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

type NamedAddress = [name: string, address: string];

const NOWHERE: NamedAddress = ["nowhere", "/nowhere"];

/** Every screen that the console declares, with an address to open it at: `/issues/:id` is `issues-id`. */
function addresses(shown: Record<string, readonly string[]>): NamedAddress[] {
  const declared = AREAS.flatMap(({ screens }) => screens.map(({ path }) => path));
  const gone = Object.keys(shown).filter((path) => !declared.includes(path));
  if (gone.length > 0)
    throw new Error(`web/console/screens.tsx does not declare ${gone.join(", ")} any more`);
  return declared.flatMap((path) => {
    const name = path === "/" ? "home" : (path.match(/\w+/g) ?? []).join("-");
    const opened = shown[path] ?? (path.includes(":") ? [] : [path]);
    if (opened.length === 0)
      throw new Error(
        `web/console/screens.tsx declares ${path}: add an address with an id of this test's scene`,
      );
    return opened.map((address, at): NamedAddress => [at === 0 ? name : `${name}-${at + 1}`, address]);
  });
}

/** What reaches beyond the window, and cannot be scrolled to in a box of its own. */
function tooWide(): string[] {
  const over = document.documentElement.scrollWidth - window.innerWidth;
  const cut = [...document.querySelectorAll("#screen :is(a, button, input, select, textarea, h1, h2, dd)")]
    .filter((part) => part.getBoundingClientRect().right > window.innerWidth + 1)
    .filter((part) => !part.closest(".tabs, .table-scroll, .graph-scroll, pre, .visually-hidden"))
    .map((part) => `“${part.textContent?.trim().slice(0, 40)}” is cut off`);
  return [...(over > 0 ? [`${over} pixels too wide`] : []), ...cut];
}
