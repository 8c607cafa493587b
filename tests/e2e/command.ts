import { WAIT_LIMIT_MS } from "../limits.ts";
import { databaseSettings } from "../postgres/for-data.ts";
import { berthProgram } from "../smoke/program.ts";

export type Finished = { code: number; stdout: string; stderr: string };

/** Runs `berth` with these arguments until it ends by itself. */
export async function berthCommand(
  args: string[],
  { cwd, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
  limitMs = WAIT_LIMIT_MS,
): Promise<Finished> {
  const data = args.includes("--data") ? args[args.indexOf("--data") + 1] : undefined;
  const database = data === undefined ? {} : await databaseSettings(data);
  const child = Bun.spawn([...berthProgram(), ...args], {
    cwd: cwd ?? process.cwd(),
    env: { ...process.env, NO_COLOR: "1", ...database, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: limitMs,
    killSignal: "SIGKILL",
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, stdout, stderr };
}
