import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser, Cookie } from "playwright-core";
import { type StartOptions, template } from "../../e2e/berth-process.ts";
import { DeploymentApi } from "../../e2e/deployment-api.ts";
import { servedBerth } from "../../e2e/served-berth.ts";
import { TEST_LIMIT_MS } from "../../limits.ts";
import { launchOffline, openPage } from "../offline-browser.ts";
import { DESKTOP } from "../served-chat.ts";
import { ConsoleTab } from "./console-tab.ts";

/** Deployments need a key, and so whoever looks at the console signs in with it. */
export const KEY = "the-key-of-this-console";

type ContextOptions = Parameters<Browser["newContext"]>[0];

type ConsoleTestOptions = ContextOptions & {
  /** Nobody has signed in yet. */
  signedOut?: boolean;
};

export type ServedConsole = {
  readonly url: string;
  /** Folder of its database. */
  readonly data: string;
  readonly browser: Browser;
  /** The same API as the console's, with the key. */
  readonly api: DeploymentApi;
  /** A test in a fresh browser profile that is signed in. Whatever goes wrong on its pages fails it as well. */
  test(name: string, use: (tab: ConsoleTab) => Promise<void>, options?: ConsoleTestOptions): void;
};

/** A Berth with a key (the chat template is its project, unless told) and a browser for the tests around the call. */
export function servedConsole(options: StartOptions = {}): ServedConsole {
  const berth = servedBerth({
    project: template("chat"),
    ...options,
    env: { SERVICE_API_KEY: KEY, ...options.env },
  });
  let browser: Browser | undefined;
  let cookies: Cookie[] = [];
  beforeAll(async () => {
    browser = await launchOffline();
    cookies = await signedIn(browser, berth.url);
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
    get data() {
      return berth.data;
    },
    get browser() {
      return opened();
    },
    api: new DeploymentApi(() => berth.url, KEY),
    test: (name, use, { signedOut = false, ...context } = {}) =>
      test(
        name,
        async () => {
          await using tab = await openPage(opened(), { ...DESKTOP, ...context });
          if (!signedOut) await tab.page.context().addCookies(cookies);
          await use(new ConsoleTab(tab, berth.url));
          expect(tab.troubles).toEqual([]);
        },
        TEST_LIMIT_MS,
      ),
  };
}

/** One sign-in for all tests: each of them begins where a person is who did it yesterday. */
async function signedIn(browser: Browser, url: string): Promise<Cookie[]> {
  const context = await browser.newContext();
  const answer = await context.request.post(`${url}/console/sign-in`, { data: { api_key: KEY } });
  expect(answer.status()).toBe(200);
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}
