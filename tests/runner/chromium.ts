import { existsSync } from "node:fs";
import { install } from "./apt.ts";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
const MISSING =
  "The browser tests need Chromium: install it (Debian, Ubuntu: apt-get install chromium) or name it in CHROMIUM_PATH.";

/** Finds Chromium or installs it, where it can, for all that is started from here on; where it cannot, says so. */
export async function ensureChromium(): Promise<void> {
  if (!findChromium()) await install(["chromium"], "the browser tests");
  const path = findChromium();
  if (path) process.env.CHROMIUM_PATH = path;
  else console.log(MISSING);
}

/** The browser that `CHROMIUM_PATH` names, else the first that is installed. */
export function findChromium(): string | undefined {
  const named = process.env.CHROMIUM_PATH;
  if (named) return existsSync(named) ? named : undefined;
  for (const name of NAMES) {
    const path = Bun.which(name);
    if (path) return path;
  }
  return existsSync(MAC) ? MAC : undefined;
}
