import { afterAll, describe, expect } from "bun:test";
import type { ConsoleTab } from "./console-tab.ts";
import { servedConsole } from "./served-console.ts";

const served = servedConsole();

/** A form, how it is opened and sent with something wrong, and the field at which that is said. */
type Case = {
  name: string;
  path: string;
  fill: (tab: ConsoleTab) => Promise<void>;
  submit: string;
  field: string;
  words: RegExp;
};

const press =
  (...parts: string[]) =>
  async (tab: ConsoleTab) => {
    for (const part of parts) await tab.part(part).first().click();
  };

const filled =
  (values: Record<string, string>, open?: (tab: ConsoleTab) => Promise<void>) => async (tab: ConsoleTab) => {
    await open?.(tab);
    for (const [part, value] of Object.entries(values)) await tab.part(part).first().fill(value);
  };

const CASES: Case[] = [
  {
    name: "a deployment whose name is taken",
    path: "/deployments/new",
    fill: filled({ "new-name": "taken" }),
    submit: "new-submit",
    field: "new-name",
    words: /named 'taken' exists already/,
  },
  {
    name: "a variable that the platform sets itself",
    path: "/deployments/new",
    fill: async (tab) => {
      await tab.part("new-name").fill("secretive");
      await tab.part("secret-add").click();
      await tab.part("secret-add").click();
      await tab.part("secret-name").nth(0).fill("FINE");
      await tab.part("secret-name").nth(1).fill("DATABASE_URI");
      await tab.part("secret-value").nth(1).fill("x");
    },
    submit: "new-submit",
    field: "secret-name",
    words: /Berth sets these names itself.*: DATABASE_URI/,
  },
  {
    name: "a repository with an address that is none",
    path: "/deployments/new?source=github",
    fill: filled({ "new-repo_url": "file:///etc", "new-name": "a-repository" }),
    submit: "new-submit",
    field: "new-repo_url",
    words: /repo_url/,
  },
  {
    name: "a command that no shell gets to see",
    path: "SETTINGS",
    fill: filled({ "source-install_command": "npm install | cat" }),
    submit: "source-save",
    field: "source-install_command",
    words: /install_command|command/,
  },
  {
    name: "a webhook to a private address",
    path: "/webhooks",
    fill: filled({ target: "http://127.0.0.1/hook" }, press("new-webhook")),
    submit: "save-webhook",
    field: "target",
    words: /127\.0\.0\.1|private|loopback|https/,
  },
  {
    name: "a workspace whose name is taken",
    path: "/keys?tab=workspaces",
    fill: filled({ "workspace-name-field": "Taken, too" }, press("new-workspace")),
    submit: "save-workspace",
    field: "workspace-name-field",
    words: /named 'Taken, too' exists already/,
  },
  {
    name: "a cron in a time zone that is none",
    path: "/crons",
    fill: filled({ "cron-timezone": "Mars/North" }, press("new-cron")),
    submit: "cron-submit",
    field: "cron-timezone",
    words: /^Unknown time zone/,
  },
  {
    name: "an assistant with a configuration that is none",
    path: "/assistants",
    fill: filled(
      { "assistant-name": "Broken", "assistant-config": '{"recursion_limit":"many"}' },
      press("new-assistant"),
    ),
    submit: "assistant-save",
    field: "assistant-config",
    words: /^recursion_limit: /,
  },
  {
    name: "a price of a model with a name that is too long",
    path: "/figures/prices",
    fill: filled(
      { "price-model": "m".repeat(300), "price-input": "1", "price-output": "1" },
      press("new-price"),
    ),
    submit: "confirm",
    field: "price-model",
    words: /200|256|300|characters/,
  },
];

describe("what the server refuses of a form", () => {
  let uploaded = "";
  afterAll(async () => {
    if (uploaded !== "") await served.api.delete(uploaded);
  });
  const prepared = async () => {
    if (uploaded !== "") return;
    uploaded = (await served.api.fromSource("taken")).id;
    await served.api.ask("POST", "/v1/workspaces", { name: "Taken, too" });
  };
  for (const { name, path, fill, submit, field, words } of CASES)
    served.test(`stands at its field: ${name}`, async (tab) => {
      await prepared();
      await tab.open(path === "SETTINGS" ? `/deployments/${uploaded}/settings` : path);
      await fill(tab);
      await tab.part(submit).click();
      const wrong = tab.page.locator(`[data-testid="${field}"][aria-invalid=true]`);
      await wrong.waitFor();
      // It has the focus, and whoever does not see it hears why.
      expect(await wrong.evaluate((element) => element === document.activeElement)).toBe(true);
      const described = await wrong.getAttribute("aria-describedby");
      const text = tab.page.locator(`[id="${described}"]`);
      expect(await text.textContent()).toMatch(words);
      expect(await tab.part("form-refused").count()).toBe(0);
      expect(await tab.page.getByTestId("toast").count()).toBe(0);
      expect(await tab.barriers()).toEqual([]);
      await wrong.press("End");
      await wrong.press("Space");
      await tab.page.locator(`[data-testid="${field}"][aria-invalid=true]`).waitFor({ state: "detached" });
      expect(tab.troubles.splice(0)).toEqual([expect.stringMatching(/status of 4\d\d/)]);
    });

  served.test(
    "stands below the fields where it is about none of them, on a phone in the dark",
    async (tab) => {
      await tab.open("/keys");
      await tab.part("new-key").first().click();
      await tab.part("key-name-field").fill("CI");
      await tab.page.route("**/v1/keys", (route) =>
        route.request().method() === "POST" ? route.abort() : route.continue(),
      );
      await tab.part("create-key").click();
      await tab.part("form-refused").getByText("The server does not answer.").waitFor();
      expect(await tab.barriers()).toEqual([]);
      await tab.page.unroute("**/v1/keys");
      await tab.part("create-key").click();
      await tab.part("secret").waitFor();
      expect(tab.troubles.splice(0).join()).toContain("ERR_FAILED");
    },
    { viewport: { width: 390, height: 844 }, colorScheme: "dark" },
  );
});
