import { afterAll, beforeAll, expect } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BerthProcess, start } from "../e2e/berth-process.ts";
import { SHAPES, type Shape } from "../e2e/shapes/shapes.ts";
import { TEST_LIMIT_MS } from "../limits.ts";
import { because, notLong, testUnless } from "../skips.ts";
import type { ChatTab } from "./chat-tab.ts";
import { describeInBrowser, launchOffline } from "./offline-browser.ts";
import { inTab } from "./served-chat.ts";

/** A folder for pictures, for people to look at. */
const SHOTS = process.env.BERTH_SHOTS;

/** Each installs and starts a server: a short run takes the one whose users sign in. */
const notShown = (shape: Shape) => because(shape.name !== "auth-factory", notLong ?? "");

async function signIn(tab: ChatTab, { headers }: Shape): Promise<void> {
  const token = headers.authorization?.replace("Bearer ", "");
  await tab.page.goto(tab.url);
  if (token !== undefined) {
    await tab.part("sign-in-key").fill(token);
    await tab.part("sign-in-submit").click();
  }
  await tab.part("composer-text").waitFor();
}

/** Its handlers keep assistants to their owners: the graph's own may be talked to, and not be read. */
async function noSettings(tab: ChatTab): Promise<void> {
  await tab.part("open-settings").hover();
  await tab.page.getByRole("button", { name: "You may not see this assistant’s settings" }).waitFor();
  expect(await tab.part("open-settings").isDisabled()).toBe(true);
  expect(tab.troubles.splice(0)).toEqual([expect.stringContaining("404")]);
}

/** Whichever form the question has, as somebody says yes. */
async function agree(tab: ChatTab): Promise<void> {
  const form = tab.part("interrupt-form");
  const yes = form.getByTestId(/^(answer-text|accept|approve)$/).first();
  await yes.waitFor();
  if ((await yes.getAttribute("data-testid")) === "answer-text") {
    await yes.fill("yes");
    await form.getByTestId("answer-send").click();
  } else await yes.click();
  await form.waitFor({ state: "detached" });
  await tab.rests();
}

/** Two messages, a question that outlives a reload, and its answer. */
async function converse(tab: ChatTab, shape: Shape): Promise<void> {
  const look = async (what: string) => {
    if (SHOTS) await tab.page.screenshot({ path: join(SHOTS, `shape-${shape.name}-${what}.png`) });
  };
  const graph = shape.graphs.at(-1) ?? "";
  await signIn(tab, shape);
  const picker = tab.part("assistant-picker");
  await picker.waitFor();
  expect((await picker.locator("option").allTextContents()).sort()).toEqual([...shape.graphs].sort());
  if (shape.name === "auth-factory") await noSettings(tab);
  if (shape.graphs.length > 1) await picker.selectOption({ label: graph });
  await tab.ask("hello");
  expect(await tab.lastText.textContent()).toContain(shape.says.hello);
  await tab.ask("hello again");
  expect(await tab.lastText.textContent()).toContain(shape.says.again);
  await look("talks");
  await tab.say("send an email to ada@example.com");
  await tab.part("interrupt-form").waitFor();
  await tab.rests();
  await look("asks");
  await tab.page.reload();
  await agree(tab);
  expect(await tab.lastText.textContent()).toContain(shape.says.done);
  await look("done");
}

describeInBrowser("a project in the chat", () => {
  const folder = mkdtempSync(join(tmpdir(), "berth-shapes-seen-"));
  let browser: Awaited<ReturnType<typeof launchOffline>>;
  let berth: BerthProcess | undefined;
  beforeAll(async () => {
    browser = await launchOffline();
  });
  afterAll(async () => {
    await browser?.close();
    await berth?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const shape of SHAPES)
    testUnless(notShown(shape) || undefined)(
      `of the shape ${shape.name} names its graphs, talks twice, asks and goes on`,
      async () => {
        const project = await shape.copy(join(folder, shape.name));
        await shape.install(join(folder, shape.name));
        berth = await start({ project, env: shape.environment });
        await inTab(browser, berth.url, {}, (tab) => converse(tab, shape));
        expect(await berth.stop()).toBe(0);
        berth = undefined;
      },
      TEST_LIMIT_MS,
    );
});
