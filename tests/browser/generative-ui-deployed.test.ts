import { afterAll, beforeAll, expect } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { berthCommand } from "../e2e/command.ts";
import { SHAPES } from "../e2e/shapes/shapes.ts";
import { TEST_LIMIT_MS, WAIT_LIMIT_MS } from "../limits.ts";
import { describeUnless, notLong } from "../skips.ts";
import { ChatTab } from "./chat-tab.ts";
import { noBrowser } from "./offline-browser.ts";
import { servedChat } from "./served-chat.ts";

const KEY = "the-key-of-this-test";

describeUnless(noBrowser ? "no Chromium here" : notLong)("components of a deployment", () => {
  const folder = mkdtempSync(join(tmpdir(), "berth-ui-deployed-"));
  const chat = servedChat({ env: { SERVICE_API_KEY: KEY } });
  let address = "";
  beforeAll(async () => {
    const shape = SHAPES.find(({ name }) => name === "generative-ui");
    const cwd = (await shape?.copy(folder)) ?? folder;
    const env = { SERVICE_API_KEY: KEY, SERVICE_ENDPOINT: chat.url };
    const command = ["deploy", "--no-input", "--name", "generative-ui"];
    const { code, stdout, stderr } = await berthCommand(command, { cwd, env }, 3 * WAIT_LIMIT_MS);
    if (code !== 0) throw new Error(`${stderr}\n${stdout}`);
    address = /^ *URL: (\S+)$/m.exec(stdout)?.[1] ?? "";
  }, TEST_LIMIT_MS);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  chat.test("are drawn in its chat for whoever is signed in, and cannot use that", async (first) => {
    const tab = new ChatTab(first, address);
    await tab.page.goto(address);
    await tab.part("sign-in-key").fill(KEY);
    await tab.part("sign-in-submit").click();
    await tab.part("composer-text").waitFor();
    await tab.ask("What is the weather?");
    const card = tab.part("component").frameLocator("iframe");
    await card.getByTestId("facts").getByText("21°, 2 messages, as weather").waitFor();
    await card.getByTestId("more").click();
    await tab.lastText.getByText("I have read 3 messages").waitFor();
    await tab.rests();
    const frame = tab.page.frames().find((one) => one !== tab.page.mainFrame());
    expect(frame?.url()).toBe(`${address}/chat/component`);
    expect(await frame?.evaluate(() => window.origin)).toBe("null");
  });
});
