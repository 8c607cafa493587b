import { expect } from "bun:test";
import { join } from "node:path";
import { LOOKS } from "../looks.ts";
import { describeInBrowser } from "../offline-browser.ts";
import type { ConsoleTab } from "./console-tab.ts";
import { servedConsole } from "./served-console.ts";

const PROJECT = join(import.meta.dir, "studio-project");

type Assistant = { assistant_id: string; name: string; version: number; context: unknown; config: unknown };

describeInBrowser("assistants", () => {
  const served = servedConsole({ project: PROJECT });
  const { api } = served;
  const search = () => api.ask<Assistant[]>("POST", "/assistants/search", { name: "Buyer" });

  const change = async (tab: ConsoleTab, prompt: string) => {
    await tab.part("change-assistant").click();
    await tab.part("assistant-context").fill(JSON.stringify({ prompt }));
    await tab.part("assistant-save").click();
    await tab.part("assistant-dialog").waitFor({ state: "detached" });
  };

  served.test("one is made, changed, compared, rolled back, made latest and deleted", async (tab) => {
    await tab.open("/assistants");
    await tab.row("orders").getByText("the project").waitFor();
    expect(await tab.barriers()).toEqual([]);
    await tab.part("new-assistant").click();
    await tab.part("assistant-name").fill("Buyer");
    await tab.part("assistant-description").fill("Buys what is asked for");
    await tab.part("assistant-context").fill("[1]");
    await tab.part("assistant-dialog").getByText("This must be a JSON object").waitFor();
    expect(await tab.part("assistant-save").isDisabled()).toBe(true);
    await tab.part("assistant-context").fill('{"prompt":"Bought"}');
    await tab.part("assistant-config").fill('{"recursion_limit":12}');
    expect(await tab.barriers()).toEqual([]);
    await tab.part("assistant-save").click();

    await tab.part("page-title").getByText("Buyer").waitFor();
    const [made] = await search();
    expect(made).toMatchObject({
      ...{ version: 1, context: { prompt: "Bought" }, config: { recursion_limit: 12 } },
    });
    await change(tab, "Got");
    await tab.part("version").getByText("2").waitFor();
    const comparison = tab.part("comparison");
    await comparison.getByText("context.prompt").waitFor();
    expect(await comparison.getByText("Bought").count()).toBe(1);
    expect(await comparison.getByText("Got").count()).toBe(1);
    await change(tab, "Fetched");
    await comparison.getByText("Fetched").waitFor();
    await tab.part("compare-from").selectOption("1");
    await comparison.getByText("Bought").waitFor();
    expect(tab.place).toContain("a=1");
    expect(await tab.barriers()).toEqual([]);

    await tab.part("roll-back").click();
    await tab.part("version").getByText("2").waitFor();
    expect(await search()).toMatchObject([{ version: 2, context: { prompt: "Got" } }]);
    await tab.page.getByRole("button", { name: "Make latest: version 3" }).click();
    await tab.part("version").getByText("3").waitFor();
    expect(await search()).toMatchObject([{ version: 3, context: { prompt: "Fetched" } }]);

    await tab.part("assistant-menu").click();
    await tab.part("delete-assistant").click();
    await tab.part("confirm").click();
    await tab.row("orders").waitFor();
    expect(await search()).toEqual([]);
    expect(await tab.row("Buyer").count()).toBe(0);
  });

  for (const { on, width, height, colorScheme } of LOOKS)
    served.test(
      `by the keyboard alone a version is made and taken back, ${colorScheme}, on a ${on}`,
      async (tab) => {
        const name = `Courier, ${on}, ${colorScheme}`;
        const body = { graph_id: "orders", name, context: { prompt: "Sent" } };
        const { assistant_id } = await api.ask<Assistant>("POST", "/assistants", body);
        await tab.open("/assistants");
        await tab.press(tab.row(name).getByRole("link"));
        await tab.press(tab.part("change-assistant"));
        await tab.reach(tab.part("assistant-context"));
        await tab.page.keyboard.press("Control+a");
        await tab.page.keyboard.insertText('{"prompt":"Posted"}');
        expect(await tab.barriers()).toEqual([]);
        await tab.reach(tab.part("assistant-name"), "Shift+Tab");
        await tab.page.keyboard.press("Enter");
        await tab.part("version").getByText("2").waitFor();
        await tab.part("comparison").getByText("Posted").waitFor();
        expect(await tab.barriers()).toEqual([]);
        expect(await tab.beyond()).toBe(0);
        await tab.press(tab.part("roll-back"));
        await tab.part("version").getByText("1").waitFor();
        const now = await api.ask<Assistant>("GET", `/assistants/${assistant_id}`);
        expect(now).toMatchObject({ version: 1, context: { prompt: "Sent" } });
      },
      { viewport: { width, height }, colorScheme },
    );

  served.test("what the server refuses is said, and the form stays", async (tab) => {
    await tab.open("/assistants");
    await tab.part("new-assistant").click();
    await tab.part("assistant-name").fill("Broken");
    await tab.part("assistant-config").fill('{"recursion_limit":"many"}');
    await tab.part("assistant-save").click();
    await tab.part("assistant-dialog").locator(".field-error").getByText("recursion_limit").waitFor();
    await tab.part("assistant-dialog").waitFor();
    // A browser reports each refusal as an error, this one too.
    expect(tab.troubles.splice(0)).toEqual([expect.stringContaining("status of 422")]);
  });
});
