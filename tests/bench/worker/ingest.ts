import { Client } from "langsmith";
import { traceable } from "langsmith/traceable";
import type { Figures, JobOf } from "./job.ts";

/** Runs of the program that are under way at once. */
const AT_ONCE = 50;
const WARM = 200;
const TEXT = "It rains in Oslo, and will all day. ".repeat(20);

type Server = { url: string; cpu: () => number | undefined };

/** How fast traces arrive, from the first run that a client tells of until the last one is acknowledged. */
export async function ingest({ url, cpu }: Server, { traces }: JobOf<"ingest">): Promise<Figures> {
  const client = new Client({ apiUrl: `${url}/langsmith`, apiKey: "none" });
  await send(client, "warm", WARM);
  const project = `bench ${Bun.randomUUIDv7()}`;
  const cpuBefore = cpu();
  const startedAt = performance.now();
  await send(client, project, traces);
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpuAfter = cpu();
  const spent = cpuBefore !== undefined && cpuAfter !== undefined ? cpuAfter - cpuBefore : undefined;
  return {
    perSecond: traces / seconds,
    cpu: spent === undefined ? undefined : spent / traces,
    lost: traces - (await counted(url, project)),
  };
}

async function send(client: Client, project_name: string, count: number): Promise<void> {
  const traced = { client, project_name, tracingEnabled: true };
  const model = traceable(
    async (question: string) => ({
      content: question + TEXT,
      usage_metadata: { input_tokens: 5, output_tokens: 7, total_tokens: 12 },
    }),
    { ...traced, name: "model", run_type: "llm" },
  );
  const tool = traceable(async (place: string) => ({ place, text: TEXT }), {
    ...{ ...traced, name: "tool", run_type: "tool" },
  });
  const agent = traceable(
    async (question: string) => {
      await model(question);
      await tool(question);
      return (await model(question)).content;
    },
    { ...traced, name: "agent", metadata: { thread_id: project_name } },
  );
  for (let from = 0; from < count; from += AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, n) => agent(`${from + n}?`)),
    );
  await client.awaitPendingTraceBatches();
}

type Page = { resources: { id: string; span_count: number }[]; next: string | null };

/** How many traces of a project are there whole. */
async function counted(url: string, project: string): Promise<number> {
  const read = async <T>(path: string) => (await (await fetch(url + path)).json()) as T;
  const { resources } = await read<Page>(`/v1/sessions?name=${encodeURIComponent(project)}`);
  let count = 0;
  let cursor: string | null = "";
  while (cursor !== null && resources[0]) {
    const more: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page: Page = await read<Page>(`/v1/traces?session_id=${resources[0].id}&limit=100${more}`);
    count += page.resources.filter(({ span_count }) => span_count === 4).length;
    cursor = page.next;
  }
  return count;
}
