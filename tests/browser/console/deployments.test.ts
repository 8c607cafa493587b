import { afterAll, beforeAll, expect } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DEPLOYMENT_MARK, processesWith } from "../../../server/machine/process-table.ts";
import { until } from "../../e2e/condition.ts";
import { archiveOf, type ProjectFiles, tinyAgent } from "../../e2e/tiny-agent.ts";
import { describeInBrowser } from "../offline-browser.ts";
import type { ConsoleTab } from "./console-tab.ts";
import { servedConsole } from "./served-console.ts";

const PHONE = { viewport: { width: 390, height: 844 }, colorScheme: "dark" as const };
/** A build and a start; both share the machine with other tests. */

describeInBrowser("deployments", () => {
  const served = servedConsole();
  const folder = mkdtempSync(join(tmpdir(), "berth-console-"));
  let agent: ProjectFiles;
  beforeAll(async () => {
    agent = await tinyAgent("it works");
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const write = (files: ProjectFiles) => {
    for (const [path, text] of Object.entries(files)) {
      const file = join(folder, "tiny", path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  };
  const idIn = ({ place }: ConsoleTab) => /^\/deployments\/([0-9a-f-]{36})/.exec(place)?.[1] ?? "";

  served.test("one that ends again and again says so", async (tab) => {
    const { id } = await served.api.fromTemplate("restless");
    const pidsOf = () =>
      processesWith(DEPLOYMENT_MARK).flatMap(({ pid, marks }) => (marks[DEPLOYMENT_MARK] === id ? pid : []));
    await until("it to serve", async () => (await served.api.deployment(id)).active_revision_id !== null);
    await tab.open(`/deployments/${id}`);
    for (let time = 0; time < 3; time += 1) {
      const [pid = 0] = await until(
        "it to run",
        async () => pidsOf(),
        (pids) => pids.length > 0,
      );
      process.kill(pid, "SIGKILL");
      await until("its end", async () => !pidsOf().includes(pid));
    }
    await tab.part("deployment-state").getByText("Keeps crashing #1").waitFor();
    await tab.part("rollout-failed").getByText("there is none to go back to").waitFor();
    expect(await tab.barriers()).toEqual([]);
    await tab.open("/");
    await tab.part("broken").getByText("Keeps crashing").waitFor();
    await tab.part("broken").getByText("restless #1").waitFor();
    expect(await tab.barriers()).toEqual([]);
    await served.api.delete(id);
  });

  served.test("a template is deployed, changed, gone back from, and deleted by its name", async (tab) => {
    const { page } = tab;
    await tab.open("/deployments");
    await tab.part("empty").getByText("Nothing is deployed yet").waitFor();
    expect(await tab.barriers()).toEqual([]);
    await tab.part("new-deployment").click();
    await tab.part("template-chat").click();
    await tab.part("new-name").fill("helper bot");
    await page.getByText("A name has up to 100 letters").waitFor();
    await tab.part("new-name").fill("helper-bot");
    await tab.part("secret-add").click();
    await tab.part("secret-name").fill("OFFLINE_TOKEN_MS");
    await tab.part("secret-value").fill("1");
    expect(await tab.barriers()).toEqual([]);
    await tab.part("new-submit").click();
    await tab.part("serves").waitFor();
    const id = idIn(tab);
    expect(await tab.part("page-title").textContent()).toBe("helper-bot");
    await tab.part("instances").getByText("A process here").waitFor();
    await tab.part("instances").getByText("Serving").waitFor();

    // The chat is there.
    const href = await tab.part("open-chat").getAttribute("href");
    expect(href).toBe(`/d/${id}/`);
    expect((await page.request.get(served.url + href)).status()).toBe(200);

    // Another value is another revision, and nobody reads the first one back.
    await tab.part("tab-environment").click();
    expect(await tab.part("secret-value").inputValue()).toBe("");
    await tab.part("secret-value").fill("2");
    await tab.part("secret-add").click();
    await tab.part("secret-name").last().fill("EXTRA");
    await tab.part("secret-value").last().fill("yes");
    await page.getByText("1 added, 1 changed.").waitFor();
    expect(await tab.barriers()).toEqual([]);
    await tab.part("environment-save").click();
    await tab.part("rollout").getByText("Revision 2").waitFor();
    await tab.part("serves").waitFor();
    const { secrets } = await served.api.ask<{ secrets: object[] }>("GET", `/v2/deployments/${id}`);
    expect(secrets).toEqual([
      { name: "OFFLINE_TOKEN_MS", value: "********" },
      { name: "EXTRA", value: "********" },
    ]);

    await tab.part("tab-revisions").click();
    await tab.row("#2").getByText("Serving").waitFor();
    expect(await tab.row("#2").getByTestId("revision-author").textContent()).toBe("operator");
    expect(await tab.barriers()).toEqual([]);
    await tab.row("#1").getByTestId("roll-back").click();
    await tab.part("confirm").click();
    await tab.part("rollout").getByText("Revision 1").waitFor();
    await tab.part("serves").waitFor();
    await tab
      .part("revisions")
      .getByTestId("table-row")
      .filter({ hasText: "#1" })
      .getByText("Serving")
      .waitFor();

    await tab.part("deployment-menu").click();
    await tab.part("delete").click();
    expect(await tab.part("confirm").isDisabled()).toBe(true);
    await tab.part("confirm-name").fill("helper-bot");
    const asked: string[] = [];
    page.on("response", (response) => {
      const request = response.request();
      if (request.method() !== "DELETE") return;
      page.on("request", (next) => asked.push(new URL(next.url()).pathname));
    });
    await tab.part("confirm").click();
    await page.waitForURL((url) => url.pathname === "/console/deployments");
    await tab.row("helper-bot").waitFor({ state: "detached" });
    // What is gone is asked for no more, and its page is left before anything is asked again.
    await until("the list is asked for", async () => asked.includes("/v2/deployments"));
    expect(asked.filter((path) => path.startsWith("/v2/deployments/"))).toEqual([]);
  });

  served.test(
    "a folder is uploaded without its packages and secrets, and a bad version leaves it serving",
    async (tab) => {
      const { page } = tab;
      write({ ...agent, ".env": "SUFFIX=' indeed'\n", "node_modules/left/index.js": "", "README.md": "x" });
      await tab.open("/deployments/new?source=internal_source");
      await tab.part("choose-folder").setInputFiles(join(folder, "tiny"));
      await tab.part("dropped").getByText("tiny: 4 files").waitFor();
      await page.getByText("Left behind: .env, node_modules").waitFor();
      expect(await tab.part("new-name").inputValue()).toBe("tiny");
      expect(await tab.part("secret-name").inputValue()).toBe("SUFFIX");
      await tab.part("new-submit").click();
      await tab.part("serves").waitFor();
      // What was said on the way stays there, however soon it was over.
      await tab.part("rollout").getByTestId("log-line").getByText("Unpacked 4 files").waitFor();
      const id = idIn(tab);
      expect((await served.api.answer(id)).said).toBe("it works indeed");

      // Somebody deploys what does not load, elsewhere; the page tells by itself.
      await served.api.push(id, { ...agent, "agent.ts": "export const graph = (;" });
      await tab.part("rollout-failed").waitFor();
      expect(await tab.part("rollout-failed").textContent()).toContain("agent.ts:1:");
      expect(await tab.part("rollout-failed").textContent()).toContain("The revision before keeps serving");
      expect(await tab.barriers()).toEqual([]);
      await tab.part("deployment-state").getByText("#2 failed").waitFor();

      // Its log can be read, searched, and shared by its address.
      await tab.part("tab-logs").click();
      await tab.part("log-type").selectOption("build");
      await tab.part("filter-q").fill("loading");
      await tab.part("log-line").locator("mark", { hasText: "Loading" }).waitFor();
      expect(await tab.part("log-line").count()).toBe(1);
      await page.reload();
      await tab.part("log-line").locator("mark", { hasText: "Loading" }).waitFor();

      // It is saved as a text: what the filters leave, each line with its time and level.
      const saving = page.waitForEvent("download");
      await tab.part("log-save").click();
      const saved = await saving;
      expect(saved.suggestedFilename()).toBe("build-log.txt");
      const text = readFileSync(await saved.path(), "utf8");
      expect(text).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z INFO Loading[^\n]*\n$/);
      expect(await tab.barriers()).toEqual([]);

      // What it prints comes as it is printed.
      await tab.open(`/deployments/${id}/logs`);
      await tab.page.locator("[data-testid=log-live][data-live=true]").waitFor();
      const before = await tab.part("log-line").getByText("/runs/wait").count();
      await served.api.answer(id);
      await tab.part("log-line").getByText("/runs/wait").nth(before).waitFor();
    },
  );

  served.test("a revision that serves before the page has looked is told as well", async (tab) => {
    const { id, latest_revision_id } = await served.api.fromTemplate("swift");
    await served.api.settled(id, latest_revision_id);
    // The machine is fast, or the network slow: nobody sees a revision under way.
    await tab.page.route(/\/revisions\?limit=1&status=/, async (route) => {
      await until("it to serve", async () => {
        const { active_revision_id, latest_revision_id } = await served.api.deployment(id);
        return active_revision_id === latest_revision_id;
      });
      await route.continue();
    });
    await tab.open(`/deployments/${id}/environment`);
    await tab.part("secret-add").click();
    await tab.part("secret-name").fill("EXTRA");
    await tab.part("environment-save").click();
    await tab.part("rollout").getByText("Revision 2").waitFor();
    await tab.part("serves").waitFor();
    await tab.part("deploy-again").click();
    await tab.part("rollout").getByText("Revision 3").waitFor();
    await tab.part("serves").waitFor();
    // Somebody else's, too.
    await served.api.ask("POST", `/v2/deployments/${id}/revisions`, {});
    await tab.part("rollout").getByText("Revision 4").waitFor();
    await tab.part("serves").waitFor();
    await served.api.delete(id);
  });

  served.test("one whose first build failed says so, and shows no address", async (tab) => {
    const { id } = await served.api.fromSource("broken");
    await served.api.push(id, { ...agent, "agent.ts": "export const graph = (;" });
    await tab.open(`/deployments/${id}`);
    await tab.part("rollout-failed").waitFor();
    await tab.part("deployment-state").getByText("Build failed").waitFor();
    await tab.part("no-address").waitFor();
    expect(await tab.part("custom-url").count()).toBe(0);
    expect(await tab.barriers()).toEqual([]);
    await tab.open("/deployments");
    await tab.row("broken").getByText("Build failed").waitFor();
    // A version that loads has one.
    await served.api.push(id, agent);
    await tab.open(`/deployments/${id}`);
    await tab.part("serves").waitFor();
    await tab.part("custom-url").getByText(`/d/${id}`).waitFor();
    expect(await tab.part("no-address").count()).toBe(0);
  });

  served.test("an archive is dropped as the next version", async (tab) => {
    const { id } = await served.api.fromSource("dropped");
    await tab.open(`/deployments/${id}`);
    await tab.part("rollout").getByText("It waits for its archive").waitFor();
    await tab.part("upload").click();
    await drop(tab, "tiny.tar.gz", archiveOf(await tinyAgent("it was dropped")));
    await tab.part("dropped").getByText("tiny.tar.gz").waitFor();
    expect(await tab.barriers()).toEqual([]);
    await tab.part("upload-submit").click();
    await tab.part("serves").waitFor();
    await tab.part("deployment-state").getByText("Serving #1").waitFor();
    await tab.part("rollout").getByTestId("log-line").getByText("Unpacked 3 files").waitFor();
    await tab.part("tab-settings").click();
    expect(await tab.part("source-langgraph_config_path").inputValue()).toBe("graph.json");
    await tab.part("source-require_api_key").check();
    expect(await tab.barriers()).toEqual([]);
    const { latest_revision_id } = await served.api.deployment(id);
    await tab.part("source-save").click();
    await until("it to be saved", async () => {
      const { source_config } = await served.api.deployment(id);
      return (source_config as { require_api_key?: boolean }).require_api_key === true;
    });
    expect((await served.api.deployment(id)).latest_revision_id).toBe(latest_revision_id);
  });

  served.test("the push hook of a repository gets a new secret, once that is confirmed", async (tab) => {
    const { id } = await served.api.ask<{ id: string }>("POST", "/v2/deployments", {
      ...{ name: "pushed", source: "github", secrets: [] },
      source_config: { repo_url: "http://127.0.0.1:2/nothing.git", build_on_push: true },
      source_revision_config: { langgraph_config_path: "graph.json", repo_ref: "main" },
    });
    await tab.open(`/deployments/${id}/settings`);
    await tab.part("push-hook").click();
    const before = (await tab.part("push-secret").textContent()) ?? "";
    await tab.part("new-push-secret").click();
    expect(await tab.barriers()).toEqual([]);
    await tab.part("confirm").click();
    await tab.part("push-secret").getByText(before).waitFor({ state: "detached" });
    const { secret } = await served.api.ask<{ secret: string }>("GET", `/v2/deployments/${id}/push-hook`);
    expect(await tab.part("push-secret").textContent()).toBe(secret);
    await served.api.delete(id);
  });

  served.test(
    "on a phone, the list says how they are, and what is not there is told",
    async (tab) => {
      const { id } = await served.api.fromSource("waits");
      await tab.open("/deployments?name=waits");
      await tab.row("waits").getByText("Waiting for an upload").waitFor();
      expect(await tab.part("table-row").count()).toBe(1);
      expect(await tab.barriers()).toEqual([]);
      await tab.row("waits").click();
      await tab.part("rollout").getByText("It waits for its archive").waitFor();
      await tab.part("rollout").getByTestId("interrupt").click();
      await tab.part("rollout").getByText("Interrupted").first().waitFor();
      expect(await tab.barriers()).toEqual([]);
      for (const part of ["revisions", "logs", "environment", "settings"]) {
        await tab.open(`/deployments/${id}/${part}`);
        const beyond = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
        expect([part, await tab.page.evaluate(beyond)]).toEqual([part, 0]);
      }
      await tab.open("/deployments/new?source=github");
      await tab.part("new-repo_url").fill("https://git.example.org/team/agent.git");
      await tab.part("new-access").selectOption("new");
      await tab.page.getByText("Enter the token").waitFor();
      await tab.part("new-token").fill("ghp_0");
      expect([await tab.part("new-name").inputValue(), await tab.part("new-submit").isEnabled()]).toEqual([
        "agent",
        true,
      ]);
      expect(await tab.barriers()).toEqual([]);
      await tab.open("/deployments?name=nobody");
      await tab.part("empty").getByText("No deployments match").waitFor();
    },
    PHONE,
  );
});

/** Drops a file on the place that takes projects. */
async function drop(tab: ConsoleTab, name: string, bytes: Uint8Array): Promise<void> {
  const transfer = await tab.page.evaluateHandle(
    ({ name, bytes }) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.fromBase64(bytes)], name));
      return transfer;
    },
    { name, bytes: Buffer.from(bytes).toString("base64") },
  );
  await tab.part("drop-zone").last().dispatchEvent("drop", { dataTransfer: transfer });
}
