import { expect } from "bun:test";
import { join } from "node:path";
import { barriers } from "./axe.ts";
import { describeInBrowser } from "./offline-browser.ts";
import { servedChat } from "./served-chat.ts";

describeInBrowser("another project", () => {
  const chat = servedChat({ project: join(import.meta.dir, "project") });

  chat.test(
    "an assistant's settings are drawn from its schema, kept, and sent with each run",
    async (tab) => {
      await tab.open();
      await tab.part("assistant-picker").selectOption({ label: "host" });
      await tab.part("open-settings").click();
      const form = tab.part("context-form");
      await form.getByLabel("name").fill("Ada");
      await form.getByLabel("tone").selectOption("formal");
      await form.getByLabel("times").fill("many");
      await tab.part("context-save").click();
      expect(await form.textContent()).toContain("number");
      await form.getByLabel("times").fill("3");
      await form.getByLabel("loud").check();
      await form.getByLabel("languages").fill("Portuguese\nEnglish");
      await tab.part("context-save").click();
      await form.waitFor({ state: "detached" });
      await tab.ask("hello");
      const sent = {
        name: "Ada",
        tone: "formal",
        times: 3,
        loud: true,
        languages: ["Portuguese", "English"],
      };
      // Until what reads Markdown is loaded, an answer stands as it was written.
      await tab.lastText.getByText(JSON.stringify(sent), { exact: true }).waitFor();

      await tab.page.reload();
      await tab.part("open-settings").click();
      await form.getByLabel("name").fill("");
      await tab.part("context-save").click();
      await tab.ask("hello again");
      const { name: _, ...rest } = sent;
      expect(await tab.lastText.textContent()).toBe(JSON.stringify(rest));
    },
  );

  chat.test("a tool is shown at work while it is", async (tab) => {
    await tab.open();
    await tab.part("assistant-picker").selectOption({ label: "lookout" });
    await tab.say("Is there a ship?");
    await tab.page.locator("[data-testid=tool-call][data-status=running]", { hasText: "north" }).waitFor();
    await tab.page.locator("[data-testid=tool-call][data-status=done]", { hasText: "north" }).waitFor();
    await tab.lastText.getByText("A ship in the north.").waitFor();
    expect(await tab.part("tool-call").locator(".elapsed").textContent()).toMatch(/^\d+ ms$|^\d+\.\d s$/);
  });

  chat.test("a run that fails says why, also after a reload, and is tried again", async (tab) => {
    await tab.open();
    await tab.part("assistant-picker").selectOption({ label: "shaky" });
    await tab.say("Cross the bridge");
    await tab.part("error-box").getByText("The bridge is up.").waitFor();
    await tab.page.reload();
    await tab.part("error-box").getByText("The bridge is up.").waitFor();
    await tab.part("retry").click();
    await tab.lastText.getByText("we are across").waitFor();
    await tab.rests();
    await tab.part("error-box").waitFor({ state: "detached" });
    expect((await tab.stored()).map(({ type }) => type)).toEqual(["human", "ai"]);
  });

  chat.test(
    "a graph without messages is run by a form, and shows its state, also after a reload",
    async (tab) => {
      await tab.open();
      await tab.part("assistant-picker").selectOption({ label: "tally" });
      const form = tab.part("input-form");
      await form.getByLabel("Word").fill("harbour");
      await form.getByLabel("Times").fill("many");
      await tab.part("run-input").click();
      await form.getByText("This must be a number.").waitFor();
      await tab.page.waitForFunction(() => document.activeElement?.getAttribute("name") === "times");
      await form.getByLabel("Times").fill("3");
      await tab.part("run-input").click();
      const state = tab.part("state-view");
      await state.getByText('"letters": 21').waitFor();
      await tab.page.reload();
      await state.getByText('"letters": 21').waitFor();
      await state.getByText("harbour").waitFor();
      await tab.part("form-toggle").click();
      await form.getByLabel("Input as JSON").fill('{"word": "quay", "times": 2}');
      await tab.part("run-input").click();
      await state.getByText('"letters": 8').waitFor();
      expect(await barriers(tab.page)).toEqual([]);
    },
  );

  chat.test("another assistant in an old conversation gets a new one", async (tab) => {
    await tab.open();
    await tab.part("assistant-picker").selectOption({ label: "echo" });
    await tab.ask("first words");
    const { path } = tab;
    await tab.part("assistant-picker").selectOption({ label: "host" });
    await tab.part("switch-assistant").getByText("belongs to echo").waitFor();
    await tab.part("switch-new").click();
    await tab.part("switch-assistant").waitFor({ state: "detached" });
    await tab.page.waitForURL(`${tab.url}/`);
    const picked = tab.part("assistant-picker").locator("option:checked");
    expect(await picked.textContent()).toBe("host");
    await tab.open(path);
    await tab.lastText.getByText("first words").waitFor();
    expect(await picked.textContent()).toBe("echo");
  });
});
