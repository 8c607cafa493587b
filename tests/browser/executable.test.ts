import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { TEST_LIMIT_MS } from "../limits.ts";
import { putExecutable } from "../smoke/executable.ts";
import { startBerth, temporaryFolder } from "../smoke/program.ts";
import { describeInBrowser, launchOffline } from "./offline-browser.ts";
import { inTab } from "./served-chat.ts";

describeInBrowser("the executable", () => {
  const folder = temporaryFolder();
  const berth = join(folder.path, "berth");
  let browser: Browser;
  beforeAll(async () => {
    await putExecutable(berth);
    browser = await launchOffline();
  });
  afterAll(async () => {
    await browser?.close();
    folder.remove();
  });

  test(
    "serves a chat that answers, where there is nothing else of it",
    async () => {
      await using started = await startBerth([berth], { cwd: folder.path });
      await inTab(browser, started.url, {}, async (tab) => {
        await tab.open();
        await tab.ask("What is the weather in Lisbon?");
        expect(await tab.lastText.textContent()).toContain("It is 18 °C and sunny in Lisbon.");
        await tab.part("to-console").click();
        await tab.part("own-project").waitFor();
        await tab.page.goto(`${started.url}/console/deployments/1/logs`);
        await tab.part("navigation").waitFor();
      });
    },
    TEST_LIMIT_MS,
  );
});
