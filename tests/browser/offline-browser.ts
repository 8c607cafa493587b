import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { WAIT_LIMIT_MS } from "../limits.ts";
import { findChromium } from "../runner/chromium.ts";
import { because, describeUnless } from "../skips.ts";

/** A name of this machine that is not loopback's own, as a server on a network has one. */
export const OUTSIDE_NAME = "berth.test";

const OURS = new Set(["127.0.0.1", OUTSIDE_NAME]);

/** Whether to skip: a person's machine may have no browser; where nobody looks that is a failure. */
export const noBrowser = findChromium() === undefined && !process.env.CI;

/** Tests that need a browser. */
export const describeInBrowser = describeUnless(
  because(noBrowser, "no Chromium here: install it, or name it in CHROMIUM_PATH"),
);

/** Told as an error, and none: a key was asked for, by an answer or by the opening of a socket. */
const EXPECTED = /status of 401|no valid credentials available/;

/** This machine's network has changed meanwhile. What the page did not get all the same, its test misses. */
const CHANGED = "net::ERR_NETWORK_CHANGED";

/** What the page has called off itself did not fail. */
const CALLED_OFF = "net::ERR_ABORTED";

const args = [
  `--host-resolver-rules=MAP ${OUTSIDE_NAME} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`,
  // Chromium refuses to be sandboxed for root, as which containers run tests.
  ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A browser with a fresh profile that reaches this machine and no other: every other name is unknown to it. */
export async function launchOffline(): Promise<Browser> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error("no Chromium: install it, or name it in CHROMIUM_PATH");
  return await chromium.launch({ executablePath, args, timeout: WAIT_LIMIT_MS });
}

/** A page, and what went wrong so far on it and on others of its context: see {@link watch}. */
export type Watched = { page: Page; troubles: string[] };

/** A page in a context of its own. A request to any other host is blocked, and told as trouble. */
export async function openPage(
  browser: Browser,
  options: Parameters<Browser["newContext"]>[0] = {},
): Promise<Watched & AsyncDisposable> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(WAIT_LIMIT_MS);
  const troubles: string[] = [];
  await blockOthers(context, troubles);
  context.on("page", (page) => watch(page, troubles));
  const page = await context.newPage();
  return { page, troubles, [Symbol.asyncDispose]: () => context.close() };
}

/** Notes requests to elsewhere, failed requests, script errors. */
function watch(page: Page, troubles: string[]): void {
  page.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText ?? "";
    if (![CALLED_OFF, CHANGED].includes(reason)) troubles.push(`failed: ${request.url()}`);
  });
  page.on("websocket", (socket) => {
    if (!OURS.has(new URL(socket.url()).hostname)) troubles.push(`asked for ${socket.url()}`);
  });
  page.on("pageerror", (error) => troubles.push(`script error: ${error.message}`));
  // The content policy's refusals, among others, are told here only.
  page.on("console", (message) => {
    if (message.type() === "error" && !EXPECTED.test(message.text()) && !message.text().includes(CHANGED))
      troubles.push(`console: ${message.text()} (${message.location().url})`);
  });
}

async function blockOthers(context: BrowserContext, troubles: string[]): Promise<void> {
  await context.route(
    (url) => /^(https?|wss?):$/.test(url.protocol) && !OURS.has(url.hostname),
    async (route) => {
      troubles.push(`asked for ${route.request().url()}`);
      await route.abort();
    },
  );
}
