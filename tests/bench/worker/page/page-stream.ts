import type { Browser } from "playwright-core";
import { markdownTokens } from "../../project/markdown.ts";
import { quantile } from "../drive.ts";
import type { Figures, JobOf } from "../job.ts";
import { Visit } from "./visit.ts";

const LIMIT_MS = 100_000;

/** One long answer, asked for and watched in the chat: how busy the page is with it, and what it leaves behind. */
export async function pageStream(browser: Browser, url: string, job: JobOf<"page-stream">): Promise<Figures> {
  const visit = await Visit.begin(browser, url);
  try {
    const { page } = visit;
    page.setDefaultTimeout(LIMIT_MS);
    await page.getByTestId("assistant-picker").selectOption({ label: "paced" });
    const pace = job.perSecond === undefined ? "once" : `${job.perSecond}/s`;
    await page.getByTestId("composer-text").fill(`${job.tokens} markdown at ${pace}`);
    await visit.forget();
    const sentAt = performance.now();
    await page.getByTestId("send").click();
    await page.getByRole("heading", { name: lastHeading(job.tokens) }).waitFor();
    await page.getByTestId("stop").waitFor({ state: "detached" });
    const doneMs = performance.now() - sentAt;
    const { longTasks, frames } = await visit.probed();
    return {
      seconds: doneMs / 1000,
      longTasks: longTasks.length,
      longest: Math.max(0, ...longTasks),
      longP99: longTasks.length === 0 ? 0 : quantile(longTasks, 0.99),
      frameP99: quantile(frames, 0.99),
      heap: await visit.heapMegabytes(),
      transferred: visit.transferred / 1000,
    };
  } finally {
    await visit.end();
  }
}

/** The last heading that so many tokens hold. */
function lastHeading(tokens: number): string {
  const words = markdownTokens();
  const text = Array.from({ length: tokens }, () => words.next().value).join("");
  return [...text.matchAll(/^## (.*)$/gm)].at(-1)?.[1] ?? "";
}
