import { existsSync } from "node:fs";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
const MISSING =
  "The browser tests need Chromium: install it (Debian, Ubuntu: apt-get install chromium) or name it in CHROMIUM_PATH.";

export type Chromium = { path: string; problem?: undefined } | { path?: undefined; problem: string };

/** Finds Chromium, or installs it where that takes no question: as root with apt. */
export async function ensureChromium(): Promise<Chromium> {
  const found = findChromium();
  if (found) return { path: found };
  if (process.getuid?.() === 0 && Bun.which("apt-get")) {
    console.log("Installing Chromium for the browser tests …");
    await apt("update");
    await apt("install", "-y", "--no-install-recommends", "chromium");
  }
  const installed = findChromium();
  return installed ? { path: installed } : { problem: MISSING };
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

async function apt(...args: string[]): Promise<void> {
  const child = Bun.spawn(["apt-get", "-qq", ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  await child.exited;
}
