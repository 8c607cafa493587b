import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { putExecutable } from "../smoke/executable.ts";
import { less, type OwnMeasure, type Samples, TARGETS, type Taken } from "./line.ts";
import { ROOT } from "./options.ts";
import { type Start, startServer } from "./servers.ts";
import type { Figures } from "./worker/job.ts";

const STARTS = 7;
/** Until a process that has started has done what it does then. */
const REST_MS = 2_000;

/** A process that does nothing but load LangGraph: what a start is compared with. */
const IMPORT = ["-e", 'import "@langchain/langgraph"'];

const section = "Start and rest";

/** Servers that have just started, from sources, from sources compiled ahead, and as the executable. */
export const AT_REST: OwnMeasure[] = [
  {
    section,
    lines: [
      less(
        "rest.start",
        "start to the first `/ok`, from sources; bare: `import` of LangGraph",
        "ms",
        "start",
        {
          ...{ bare: 3, peer: 1 / 4 },
        },
      ),
      less("rest.memory", "memory at rest, the serving process; bare: LangGraph loaded", "MB", "process", {
        most: 90,
      }),
      less("rest.memory-all", "  all its processes", "MB", "tree"),
    ],
    take: (taken) => starts(taken, TARGETS),
  },
  {
    section,
    lines: [
      less("rest.compiled-start", "start to the first `/ok`, sources compiled ahead", "ms", "start", {
        bare: 3,
      }),
      less("rest.compiled-memory", "  memory at rest", "MB", "process", { most: 90 }),
    ],
    take: async (taken) => {
      await run([process.execPath, "run", "compile"]);
      return starts(
        taken,
        ["berth", "bare"],
        [...[process.execPath, "--no-install", join(ROOT, "server/bootstrap.ts")], "server/main.ts"],
      );
    },
  },
  {
    section,
    lines: [
      less("rest.executable-start", "start to the first `/ok`, the executable", "ms", "start", { bare: 1.5 }),
      less("rest.executable-memory", "  memory at rest", "MB", "process", { most: 90 }),
    ],
    take: async (taken) => {
      const folder = await mkdtemp(join(tmpdir(), "berth-bench-executable-"));
      try {
        const program = join(folder, "berth");
        await putExecutable(program);
        return await starts(taken, ["berth", "bare"], [program]);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  },
];

/** Each round starts every target anew, one after the other, so that a machine that gets slower hits all of them. */
async function starts(
  { quick, names, rootOf }: Taken,
  on: Parameters<Taken["names"]>[0],
  program?: string[],
): Promise<Samples> {
  const samples: Samples = new Map();
  const rounds = quick ? 3 : STARTS;
  for (let round = 1; round <= rounds; round += 1)
    for (const name of names(on)) {
      // What a program is started as is not what another commit is started as.
      if (program && name === "before") continue;
      const start = { program: name === "berth" ? program : undefined, root: rootOf(name) };
      const found = await once(name, start, round === rounds);
      samples.set(name, [...(samples.get(name) ?? []), found]);
    }
  return samples;
}

async function once(name: (typeof TARGETS)[number], start: Start, isLast: boolean): Promise<Figures> {
  const imported = name === "bare" ? await importMs() : undefined;
  if (imported !== undefined && !isLast) return { start: imported };
  const server = await startServer(name, start);
  try {
    if (isLast) await Bun.sleep(REST_MS);
    return { start: imported ?? server.startMs, ...(isLast && server.memory()) };
  } finally {
    await server.stop();
  }
}

async function importMs(): Promise<number> {
  const begun = performance.now();
  await run([process.execPath, ...IMPORT]);
  return performance.now() - begun;
}

async function run(command: string[]): Promise<void> {
  const child = Bun.spawn(command, { cwd: ROOT, stdout: "ignore", stderr: "pipe" });
  const errors = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(errors.slice(-1_000));
}
