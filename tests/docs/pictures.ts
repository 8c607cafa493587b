// `bun tests/docs/pictures.ts`: takes the pictures of README.md and docs/ anew, into docs/images. Look at each of them.
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { ChatTab } from "../browser/chat-tab.ts";
import { ConsoleTab } from "../browser/console/console-tab.ts";
import { RunsRig } from "../browser/console/runs-rig.ts";
import { launchOffline, openPage } from "../browser/offline-browser.ts";
import { start, template } from "../e2e/berth-process.ts";
import { until } from "../e2e/condition.ts";
import { DeploymentApi } from "../e2e/deployment-api.ts";
import { ROOT } from "../smoke/program.ts";

const KEY = "the-key-of-the-pictures";
const DESK = { viewport: { width: 1440, height: 900 }, locale: "en-GB", colorScheme: "light" } as const;
const CITIES = ["Lisbon", "Rome", "Oslo", "Paris", "Vienna"];
const QUESTION = "Plan a trip to Lisbon: research it with a subagent, and check the weather";

const berth = await start({
  project: template("deep-agent"),
  env: { SERVICE_API_KEY: KEY, ENGINE_INTERVAL: "0", OPENAI_API_KEY: "", ANTHROPIC_API_KEY: "" },
});
const browser = await launchOffline();
try {
  const api = new DeploymentApi(() => berth.url, KEY);
  const { trace, issue } = await prepared(api);
  await taken("chat-light", {}, async (tab) => {
    const chat = new ChatTab({ page: tab.page, troubles: [] }, berth.url);
    await tab.page.goto(berth.url);
    await chat.ask(QUESTION);
    await tab.page.mouse.move(0, 0);
    await chat.part("offline-note").scrollIntoViewIfNeeded();
  });
  await taken("console-home-light", {}, async (tab) => {
    await tab.open("/");
    await tab.part("vitals").waitFor();
    await tab
      .row("support")
      .getByText(/^\d\d$/)
      .first()
      .waitFor();
  });
  await taken("console-issue-light", {}, async (tab) => {
    await tab.open(`/issues/${issue}`);
    await tab.page.locator(".chart canvas").first().waitFor();
  });
  await taken("console-trace-dark", { colorScheme: "dark" }, async (tab) => {
    await tab.open(`/traces/${trace}`);
    await tab.part("span").nth(9).waitFor();
    await tab.part("retry").waitFor();
  });
} finally {
  await browser.close();
  await berth.stop();
}

type Options = Parameters<Browser["newContext"]>[0];

/** A picture of what is there after `use`, in a fresh profile that is signed in. */
async function taken(name: string, options: Options, use: (tab: ConsoleTab) => Promise<void>): Promise<void> {
  await using opened = await openPage(browser, { ...DESK, reducedMotion: "reduce", ...options });
  await opened.page.context().request.post(`${berth.url}/console/sign-in`, { data: { api_key: KEY } });
  await use(new ConsoleTab(opened, berth.url));
  await opened.page.screenshot({ path: join(ROOT, "docs/images", `${name}.png`) });
  console.log(name);
}

/** Deployments that serve, runs that ended well, and an issue of a program elsewhere. */
async function prepared(api: DeploymentApi): Promise<{ trace: string; issue: string }> {
  const [support] = await Promise.all([
    api.fromTemplate("support"),
    api.fromTemplate("research", "deep-agent"),
  ]);
  await api.settled(support.id, support.latest_revision_id);
  const chat = new RunsRig(api, "chat", `/d/${support.id}`);
  for (const city of CITIES) await chat.run(await chat.thread(), `What is the weather in ${city}?`);
  const own = new RunsRig(api, "deep-agent");
  const { id } = await own.run(await own.thread(), "What is the weather in Rome?");
  await api.ask("POST", "/langsmith/runs/batch", { post: Array.from({ length: 60 }, booked), patch: [] });
  const [flights] = (await api.ask<Found>("GET", "/v1/sessions?name=flights")).resources;
  await api.ask("POST", "/v1/engine/scan", {});
  const { resources } = await until(
    "the issue",
    () => api.ask<Found>("GET", `/v1/issues?session_id=${flights?.id}`),
    ({ resources }) => resources.length > 0,
  );
  return { trace: id, issue: String(resources[0]?.id) };
}

type Found = { resources: { id: string }[] };

/** A run of a program that books flights; each eighth finds no seat. */
function booked(_: unknown, at: number) {
  const id = Bun.randomUUIDv7();
  const begun = Date.now() - (60 - at) * 40_000;
  const start_time = new Date(begun).toISOString();
  return {
    ...{ id, trace_id: id, session_name: "flights", name: "book a flight", run_type: "chain", start_time },
    dotted_order: `${start_time.replaceAll(/[-:.]/g, "").slice(0, -1)}000Z${id}`,
    ...{ end_time: new Date(begun + 900 + 7 * at).toISOString(), inputs: { flight: `TP ${400 + at}` } },
    ...(at % 8 === 3
      ? { error: `SeatError: no seat is left on flight TP ${400 + at}` }
      : { outputs: { booked: true } }),
  };
}
