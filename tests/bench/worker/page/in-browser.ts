import type { Figures, JobOf } from "../job.ts";
import { pageLoad } from "./page-load.ts";
import { pageStream } from "./page-stream.ts";
import { runsScrolled } from "./runs-scrolled.ts";

/** Does a job with a browser that reaches only this machine, and closes it afterwards. */
export async function inBrowser(
  url: string,
  job: JobOf<"page-load" | "page-stream" | "runs-scrolled">,
): Promise<Figures> {
  const { launchOffline } = await import("../../../browser/offline-browser.ts");
  const browser = await launchOffline();
  try {
    if (job.kind === "page-load") return await pageLoad(browser, url, job);
    if (job.kind === "page-stream") return await pageStream(browser, url, job);
    return await runsScrolled(browser, url, job);
  } finally {
    await browser.close();
  }
}
