import type { Browser } from "playwright-core";
import { median } from "../drive.ts";
import type { Figures, JobOf } from "../job.ts";
import { Visit } from "./visit.ts";

/** How long a cold load takes until a person can use the page, and what comes over the network for it. */
export async function pageLoad(browser: Browser, url: string, job: JobOf<"page-load">): Promise<Figures> {
  // The server makes the page when it is first asked for it.
  await (await Visit.begin(browser, url, job.page)).end();
  const ready: number[] = [];
  const figures: Figures = {};
  for (let round = 0; round < job.loads; round += 1) {
    const visit = await Visit.begin(browser, url, job.page);
    ready.push((await visit.probed()).readyAt ?? Number.NaN);
    await visit.settled();
    figures.first = visit.first / 1000;
    figures.transferred = visit.transferred / 1000;
    figures.embedded = (await visit.embedded()) / 1000;
    figures.requests = visit.requests;
    await visit.end();
  }
  return { ...figures, usable: median(ready) };
}
