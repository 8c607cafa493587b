import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { type StartOptions, template } from "../e2e/berth-process.ts";
import { servedBerth } from "../e2e/served-berth.ts";
import { ChatTab } from "./chat-tab.ts";
import { launchOffline, openPage } from "./offline-browser.ts";

type ContextOptions = Parameters<Browser["newContext"]>[0];

/** Without this part a browser of a machine with a German or dark desktop shows something else. */
export const DESKTOP: ContextOptions = {
  viewport: { width: 1440, height: 900 },
  locale: "en-GB",
  colorScheme: "light",
};

export type ServedChat = {
  readonly url: string;
  readonly browser: Browser;
  /** A test in a fresh browser profile. Whatever goes wrong on its pages fails it as well. */
  test(name: string, use: (tab: ChatTab) => Promise<void>, options?: ContextOptions): void;
};

/** A process (with the deep agent, without another project) and a browser for the tests around the call. */
export function servedChat(options: StartOptions = {}): ServedChat {
  const berth = servedBerth({ project: template("deep-agent"), ...options });
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await launchOffline();
  });
  afterAll(() => browser?.close());
  const opened = (): Browser => {
    if (!browser) throw new Error("the browser has not started yet");
    return browser;
  };
  return {
    get url() {
      return berth.url;
    },
    get browser() {
      return opened();
    },
    test: (name, use, context) => test(name, () => inTab(opened(), berth.url, context, use)),
  };
}

/** Opens a tab in a fresh profile, uses it, and says what went wrong on it. */
export async function inTab(
  browser: Browser,
  url: string,
  options: ContextOptions,
  use: (tab: ChatTab) => Promise<void>,
): Promise<void> {
  await using opened = await openPage(browser, { ...DESKTOP, ...options });
  await use(new ChatTab(opened, url));
  // Whether an assistant's schemas may be seen is known by asking; a browser notes that it was told no.
  const troubles = opened.troubles.filter((trouble) => !/status of 404.*\/schemas\)$/.test(trouble));
  expect(troubles).toEqual([]);
}
