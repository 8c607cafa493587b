import { existsSync } from "node:fs";
import { install, installOptional } from "./apt.ts";

/** Chromium without the windows that nobody sees in a test: it takes a third less of the processor. */
const SHELL = "chromium-headless-shell";
const NAMES = [SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
const MISSING =
  "The browser tests need Chromium: install it (Debian, Ubuntu: apt-get install chromium) or name it in CHROMIUM_PATH.";

/** Finds Chromium or installs it, where it can, for all that is started from here on; where it cannot, says so. */
export async function ensureChromium(): Promise<void> {
  if (!findChromium()) await install(["chromium"], "the browser tests");
  if (!process.env.CHROMIUM_PATH && !Bun.which(SHELL)) await installOptional(SHELL, "shorter browser tests");
  const path = findChromium();
  if (path) process.env.CHROMIUM_PATH = path;
  else console.log(MISSING);
}

/** The browser that `CHROMIUM_PATH` names, else the first that is installed, of which the shell is the quickest. */
export function findChromium(): string | undefined {
  const named = process.env.CHROMIUM_PATH;
  if (named) return existsSync(named) ? named : undefined;
  for (const name of NAMES) {
    const path = Bun.which(name);
    if (path) return path;
  }
  return existsSync(MAC) ? MAC : undefined;
}
