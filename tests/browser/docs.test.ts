import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { servedBerth } from "../e2e/served-berth.ts";
import { launchOffline, watch } from "./offline-browser.ts";

const berth = servedBerth();
let browser: Browser;
beforeAll(async () => {
  browser = await launchOffline();
}, 30_000);
afterAll(() => browser?.close());

describe("/docs in a browser without the internet", () => {
  test("shows every group of operations, and asks nobody else for anything", async () => {
    const page = await browser.newPage();
    const troubles = watch(page, berth.url);
    await page.goto(`${berth.url}/docs`);
    for (const group of ["System", "Assistants", "Threads", "Thread Runs", "Stateless Runs", "Store"])
      await page.getByText(group, { exact: true }).first().waitFor();
    await page.getByText("Assistants", { exact: true }).first().click();
    await page.getByText("Create an assistant", { exact: true }).first().waitFor();
    expect(troubles).toEqual([]);
    await page.close();
  }, 30_000);

  test("tries a request and shows the answer", async () => {
    const page = await browser.newPage();
    const troubles = watch(page, berth.url);
    await page.goto(`${berth.url}/docs`);
    await page.getByRole("button", { name: "Test Request (get /info)" }).click();
    await page.getByRole("button", { name: /^Send/ }).first().click();
    await page.getByText("200 OK").waitFor();
    await page.getByText('"langgraph_js_version"').first().waitFor();
    expect(troubles).toEqual([]);
    await page.close();
  }, 30_000);
});

test("the page at / leads to the docs", async () => {
  const page = await browser.newPage();
  const troubles = watch(page, berth.url);
  await page.goto(berth.url);
  await page.getByRole("link", { name: "/docs" }).click();
  await page.getByRole("heading", { name: "Berth" }).first().waitFor();
  expect(troubles).toEqual([]);
  await page.close();
}, 30_000);
