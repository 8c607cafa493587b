import { type Browser, chromium, type Page } from "playwright-core";
import { findChromium } from "../runner/chromium.ts";

/** A browser that reaches this machine and no other: every other name is unknown to it. */
export async function launchOffline(): Promise<Browser> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error("no Chromium: install it, or name it in CHROMIUM_PATH");
  const offline = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1";
  // Chromium refuses to be sandboxed for root, as which containers run tests.
  const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return await chromium.launch({ executablePath, args: [offline, ...sandbox] });
}

/** What goes wrong on a page, as it is added: requests to elsewhere, failed requests, script errors. */
export function watch(page: Page, base: string): string[] {
  const troubles: string[] = [];
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${base}/`) && !/^(data|blob):/.test(url)) troubles.push(`asked for ${url}`);
  });
  page.on("requestfailed", (request) => troubles.push(`failed: ${request.url()}`));
  page.on("pageerror", (error) => troubles.push(`script error: ${error.message}`));
  return troubles;
}
