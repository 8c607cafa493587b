import type { Browser } from "playwright-core";
import { median } from "../drive.ts";
import type { Figures, JobOf } from "../job.ts";
import { Visit } from "./visit.ts";

/** How long a cold load takes until a message can be written, and what comes over the network for it. */
export async function pageLoad(browser: Browser, url: string, job: JobOf<"page-load">): Promise<Figures> {
  // The server makes the page when it is first asked for it.
  await (await Visit.begin(browser, url)).end();
  const ready: number[] = [];
  const figures: Figures = {};
  for (let round = 0; round < job.loads; round += 1) {
    const visit = await Visit.begin(browser, url);
    ready.push((await visit.probed()).readyAt ?? Number.NaN);
    await visit.page.waitForLoadState("networkidle");
    figures.transferred = visit.transferred / 1000;
    figures.embedded = (await visit.embedded()) / 1000;
    figures.requests = visit.requests;
    await visit.end();
  }
  return { ...figures, interactive: median(ready) };
}
