import type { Browser } from "playwright-core";
import { quantile } from "../drive.ts";
import { send } from "../http-calls.ts";
import type { Figures, JobOf } from "../job.ts";
import { Visit } from "./visit.ts";

const LIMIT_MS = 60_000;
const AT_ONCE = 2_000;
const ROW_PX = 44;

/** Many runs in the console's list, scrolled as a wheel does, and in jumps: how busy the page is with it. */
export async function runsScrolled(
  browser: Browser,
  url: string,
  { runs }: JobOf<"runs-scrolled">,
): Promise<Figures> {
  const session = await report(url, runs);
  const visit = await Visit.begin(browser, url, "console", `/runs?session_id=${session}`);
  try {
    const { page } = visit;
    await page.getByTestId("table-row").first().waitFor();
    const height = await page.evaluate(toTheEnd, { height: runs * ROW_PX, limitMs: LIMIT_MS });
    if (height < runs * ROW_PX) throw new Error(`the list ends after ${Math.round(height / ROW_PX)} runs`);
    const loading = (await visit.probed()).longTasks;
    await visit.forget();
    const most = await page.evaluate(throughTheList);
    const { longTasks, frames } = await visit.probed();
    return {
      longest: Math.max(0, ...longTasks),
      longTasks: longTasks.length,
      frameP99: quantile(frames, 0.99),
      loading: Math.max(0, ...loading),
      rows: most,
    };
  } finally {
    await visit.end();
  }
}

/** Finished runs of a program elsewhere; answers the id of their tracing project. */
async function report(url: string, count: number): Promise<string> {
  const start = Date.now() - count * 1_000;
  for (let done = 0; done < count; done += AT_ONCE) {
    const post = Array.from({ length: AT_ONCE }, (_, i) => finishedRun(start + (done + i) * 1_000, done + i));
    await (await send(url, "POST", "/langsmith/runs/batch", { post, patch: [] })).text();
  }
  const found = await (await send(url, "GET", "/v1/sessions?name=nightly")).json();
  return found.resources[0].id;
}

function finishedRun(startedAt: number, number: number) {
  const id = Bun.randomUUIDv7();
  const start_time = new Date(startedAt).toISOString();
  const failed = number % 7 === 0;
  return {
    ...{
      id,
      trace_id: id,
      session_name: "nightly",
      name: `nightly ${number}`,
      run_type: "chain",
      start_time,
    },
    end_time: new Date(startedAt + 100 + (number % 900)).toISOString(),
    dotted_order: `${start_time.replaceAll(/[-:.]/g, "").slice(0, -1)}000Z${id}`,
    ...{ inputs: { number }, outputs: failed ? {} : { doubled: number * 2 } },
    ...(failed && { error: `RangeError: ${number} cannot be divided by seven` }),
  };
}

/** Runs in the page: scrolls down until the list is so high, and gives how high it is. */
async function toTheEnd(wanted: { height: number; limitMs: number }): Promise<number> {
  const box = document.querySelector(".virtual-table");
  const limit = performance.now() + wanted.limitMs;
  let height = 0;
  while (box && height < wanted.height && performance.now() < limit) {
    if (box.scrollHeight > height) {
      height = box.scrollHeight;
      box.scrollTop = height;
    }
    await new Promise(requestAnimationFrame);
  }
  return height;
}

/** Runs in the page: gives the most rows that were on the page at once. */
async function throughTheList(): Promise<number> {
  const box = document.querySelector(".virtual-table");
  let most = 0;
  for (let step = 0; box && step < 200; step++) {
    box.scrollTop = step % 10 === 0 ? (box.scrollHeight * (200 - step)) / 200 : box.scrollTop - 300;
    await new Promise(requestAnimationFrame);
    most = Math.max(most, box.querySelectorAll("[data-testid=table-row]").length);
  }
  return most;
}
