import { afterAll, beforeAll, expect } from "bun:test";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fencesOf } from "../../docs/fences.ts";
import { berthCommand } from "../../e2e/command.ts";
import { until } from "../../e2e/condition.ts";
import { WAIT_LIMIT_MS } from "../../limits.ts";
import { ROOT } from "../../smoke/program.ts";
import { describeInBrowser } from "../offline-browser.ts";
import type { ConsoleTab } from "./console-tab.ts";
import { KEY, servedConsole } from "./served-console.ts";

const PAGE = "docs/walk.md";
/** Where to put the pictures of the page, when they are to be new. */
const PICTURES = process.env.WALK_PICTURES;
const LIMIT_MS = 600_000;

type Figures = {
  total: {
    runs: number;
    errors: number;
    cost: number;
    input_tokens: number;
    output_tokens: number;
    unpriced_models: string[];
  };
};

describeInBrowser("the walk of the documentation", () => {
  const scratch = mkdtempSync(join(tmpdir(), "berth-walk-"));
  // There is no network to install from: what is deployed below this folder finds its packages here.
  symlinkSync(join(ROOT, "node_modules"), join(scratch, "node_modules"));
  const served = servedConsole({
    data: join(scratch, "data"),
    env: { OPENAI_API_KEY: "", ANTHROPIC_API_KEY: "" },
  });
  const { api } = served;
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));
  const blocks = fencesOf(PAGE);
  /** The block of the page that has some text in it. */
  const block = (language: string, part: string): string => {
    const found = blocks.find((one) => one.language === language && one.text.includes(part));
    if (!found) throw new Error(`${PAGE} has no block of ${language} with ${part}`);
    return found.text;
  };
  /** What a reader types into a terminal, at this Berth and with its key. */
  const shell = async (text: string, env: Record<string, string> = {}): Promise<string> => {
    const here = text.replaceAll("http://127.0.0.1:8123", served.url).replaceAll("choose-one", KEY);
    const child = Bun.spawn(["bash", "-euo", "pipefail", "-c", here.replaceAll("curl ", "curl -f ")], {
      ...{ env: { ...process.env, ...env }, stdout: "pipe", stderr: "pipe" },
    });
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    expect({ code: await child.exited, err }).toEqual({ code: 0, err: "" });
    return out;
  };

  let address = "";
  const startedAt = Date.now();
  beforeAll(async () => {
    address = await deployed();
  }, LIMIT_MS);

  /** The project as the page has it, deployed by the command. */
  async function deployed(): Promise<string> {
    const path = join(scratch, "orders");
    const made = await berthCommand(["new", path, "--template", "chat"], { cwd: scratch });
    expect([made.code, made.stderr]).toEqual([0, ""]);
    await Bun.write(join(path, "orders.ts"), block("ts", "There is no price"));
    await Bun.write(join(path, "graph.json"), block("json", "orders.ts"));
    rmSync(join(path, "package.json"));
    const args = ["deploy", "--config", join(path, "graph.json"), "--name", "orders"];
    const env = { SERVICE_API_KEY: KEY, SERVICE_ENDPOINT: served.url };
    const { code, stdout, stderr } = await berthCommand(args, { cwd: scratch, env }, 2 * WAIT_LIMIT_MS);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return /^ *(?:URL: )?(http\S+\/d\/\S+)$/m.exec(stdout)?.[1] ?? "";
  }

  const choose = (tab: ConsoleTab) => tab.part("project-picker").selectOption({ label: "orders" });
  const picture = async (tab: ConsoleTab, name: string) => {
    if (!PICTURES) return;
    await tab.page.evaluate(hidden, [scratch, ROOT]);
    await tab.page.screenshot({ path: join(PICTURES, `walk-${name}-light.png`) });
  };
  const lit = (tab: ConsoleTab, node: string, state: string) =>
    tab.page.locator(`[data-node="${node}"][data-state="${state}"]`).waitFor();

  served.test("from a deployed agent to its mended run and the cost of the hour", async (tab) => {
    await tab.open("/studio");
    await choose(tab);
    await tab.page.locator('textarea[name="order"]').fill("bread, butter");
    await tab.part("studio-run").click();
    await lit(tab, "write", "done");
    await tab.part("studio-state").getByText("I am the offline model").waitFor();
    await tab.part("steps").getByText("Success").waitFor();
    await tab.page.locator("option:checked", { hasText: "busy" }).waitFor({ state: "detached" });
    await picture(tab, "studio");

    await shell(block("sh", "GBP"), { AGENT: address });
    const base = new URL(address).pathname;
    await tab.open("/runs");
    await choose(tab);
    await tab.part("filter-status").selectOption("error");
    await tab.part("table-row").first().getByTestId("status").getByText("Error").waitFor();
    await tab.part("table-row").first().locator("[data-opener]").click();
    await tab.page.getByText("There is no price in GBP.").first().waitFor();
    await picture(tab, "trace");

    await tab.part("open-in-studio").click();
    await lit(tab, "price", "failed");
    const failed = new URL(tab.page.url()).searchParams.get("thread");
    await tab.part("edit-state").click();
    const text = tab.part("state-text");
    await text.fill((await text.inputValue()).replace("GBP", "USD"));
    await picture(tab, "edit");
    await tab.part("save-and-run").click();
    await lit(tab, "write", "done");
    const state = await until(
      "the mended order",
      () => api.ask<{ values: object; next: string[] }>("GET", `${base}/threads/${failed}/state`),
      ({ next }) => next.length === 0,
    );
    expect(state.values).toMatchObject({ currency: "USD", pieces: 2, total: 22 });
    expect(await tab.barriers()).toEqual([]);

    const [price = "", ask = ""] = block("sh", "model-prices").split(/^(?=curl -s 'http)/m);
    const before: Figures = JSON.parse(await shell(ask));
    expect(before.total.cost).toBe(0);
    await shell(price);
    const figures = await until(
      "the figures of the hour",
      async (): Promise<Figures> => JSON.parse(await shell(ask)),
      ({ total }) => total.runs === 4,
    );
    expect(figures.total).toMatchObject({ runs: 4, errors: 1, unpriced_models: [] });
    const { cost, input_tokens, output_tokens } = figures.total;
    expect(cost).toBeCloseTo((input_tokens + output_tokens) / 1_000_000, 9);
    expect(cost).toBeGreaterThan(0);
    const took = Date.now() - startedAt;
    process.stdout.write(`the walk, without its reader: ${Math.round(took / 1_000)} s\n`);
    expect(took).toBeLessThan(LIMIT_MS);
  });
});

/** Where the project lies on this machine is nothing for a picture. */
function hidden(folders: string[]): void {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode())
    for (const folder of folders) node.nodeValue = (node.nodeValue ?? "").replaceAll(folder, "/srv/berth");
}
