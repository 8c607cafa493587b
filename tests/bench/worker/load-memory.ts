import { processTree } from "../processes.ts";
import type { Bench } from "./bench.ts";
import { drive } from "./drive.ts";
import type { Figures, JobOf } from "./job.ts";
import { threads } from "./turns.ts";

const CLIENTS = 16;
const STREAMS = 64;

/** Memory of a server after a load of runs of three kinds, and once it has rested. */
export async function loadMemory({ calls, pid }: Bench, job: JobOf<"load-memory">): Promise<Figures> {
  const thread = threads(20);
  const times = async (count: number, once: (client: number) => Promise<unknown>) => {
    const bounds = { warmMs: 0, measureMs: Number.MAX_SAFE_INTEGER, limit: Math.ceil(count / CLIENTS) };
    await drive(bounds, CLIENTS, once, () => undefined);
  };
  const rest = megabytes(pid);
  await times(job.runs, () => calls.run("echo"));
  await times(job.runs, (client) => calls.run("echo", thread(client)));
  await times(STREAMS, () => calls.stream("tokens"));
  const loaded = megabytes(pid);
  await Bun.sleep(job.restMs);
  return { rest, loaded, rested: megabytes(pid) };
}

function megabytes(pid: number): number | undefined {
  const tree = processTree(pid);
  return tree && tree.rssBytes / 1e6;
}
