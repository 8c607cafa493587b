import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withTree } from "../against.ts";
import { Labourer } from "../labour.ts";
import { KEPT, type Options, ROOT } from "../options.ts";
import { startServer } from "../servers.ts";
import type { Job } from "../worker/job.ts";
import { type Profile, topOf, type Window } from "./own-time.ts";

const SAMPLE_MICROSECONDS = 250;
const STOP_LIMIT_MS = 20_000;

type Load = {
  /** How many processes are looked at: one alone says little of what lasts a fifth of a second. */
  processes: number;
  /** Done before that which is looked at. */
  first?: Job;
  job: Job;
};

const warm = (job: (ms: number) => Job): Load => ({ processes: 1, first: job(6_000), job: job(5_000) });
const bounds = (measureMs: number) => ({ warmMs: 0, measureMs, limit: Number.MAX_SAFE_INTEGER });
const echo = (turnsPerThread: number) =>
  warm((ms) => ({ kind: "runs", bounds: bounds(ms), graph: "echo", clients: 16, turnsPerThread }));

const LOADS: Record<string, Load> = {
  "cold-stateless": {
    ...{ processes: 5, job: { kind: "cold", first: 50, next: 0, clients: 16, turnsPerThread: 0 } },
  },
  "warm-stateless": echo(0),
  "thread-run": echo(20),
  "four-tools": warm((ms) => ({
    ...{ kind: "runs", bounds: bounds(ms), graph: "tools", clients: 8, turnsPerThread: 0 },
  })),
  "20-supersteps": warm((ms) => ({
    ...{ kind: "runs", bounds: bounds(ms), graph: "steps", clients: 8, turnsPerThread: 20 },
  })),
  tokens: warm((ms) => ({ kind: "streams", bounds: bounds(ms), graph: "tokens", clients: 8 })),
};

/** Writes what takes the time of each load: of these sources, or of another commit as what was before. */
export async function makeProfiles({ against, only }: Options): Promise<void> {
  const wanted = Object.entries(LOADS).filter(
    ([name]) => only.length === 0 || only.some((prefix) => name.startsWith(prefix)),
  );
  if (wanted.length === 0) throw new Error(`no profile starts with ${only.join(" or ")}`);
  const all = async (root: string, when: "before" | "after") => {
    for (const [name, load] of wanted) await makeOne(root, name, load, when);
  };
  if (against === undefined) await all(ROOT, "after");
  else await withTree(against, (root) => all(root, "before"));
}

async function makeOne(root: string, name: string, load: Load, when: "before" | "after"): Promise<void> {
  const { stdout } = Bun.spawnSync(["git", "rev-parse", "--short=8", "HEAD"], { cwd: root });
  const looks: { profile: Profile; window: Window }[] = [];
  for (let at = 0; at < load.processes; at += 1) looks.push(await look(root, load));
  const head = `${name}, ${when} (commit ${stdout.toString().trim()}): own time of functions, native calls given to their caller.`;
  const text = `${head}\n\n${topOf(looks, root)}\n`;
  await Bun.write(join(KEPT, "profiles", `${name}-${when}.txt`), text);
  console.log(text);
}

/** One process under that load, with its runs on the thread that answers, so that one profile has all of them. */
async function look(root: string, { first, job }: Load): Promise<{ profile: Profile; window: Window }> {
  const folder = mkdtempSync(join(tmpdir(), "berth-bench-profile-"));
  try {
    const flags = ["--cpu-prof", `--cpu-prof-dir=${folder}`, "--cpu-prof-name=all.cpuprofile"];
    const program = [
      ...[process.execPath, ...flags, `--cpu-prof-interval=${SAMPLE_MICROSECONDS}`],
      ...["run", "--cwd", root, "server/main.ts"],
    ];
    const server = await startServer("berth", { program, root, environment: { EXECUTORS: "0" } });
    const labourer = new Labourer({ url: server.url, pid: server.pid, data: server.data });
    const now = () => performance.timeOrigin + performance.now();
    let window: Window;
    try {
      if (first) await labourer.work(first);
      const begin = now();
      await labourer.work(job, true);
      window = { begin, end: now() };
      await server.end(STOP_LIMIT_MS);
    } finally {
      await labourer.end();
      await server.stop();
    }
    return { profile: await Bun.file(join(folder, "all.cpuprofile")).json(), window };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
