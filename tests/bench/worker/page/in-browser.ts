import type { Browser } from "playwright-core";

/** Does something with a browser that reaches only this machine, and closes it afterwards. */
export async function inBrowser<T>(use: (browser: Browser) => Promise<T>): Promise<T> {
  // Loaded only here: other load clients must not carry it.
  const { launchOffline } = await import("../../../browser/offline-browser.ts");
  const browser = await launchOffline();
  try {
    return await use(browser);
  } finally {
    await browser.close();
  }
}
