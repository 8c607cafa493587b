import { WAIT_LIMIT_MS } from "../limits.ts";
import { berthProgram } from "../smoke/program.ts";

export type Finished = { code: number; stdout: string; stderr: string };

/** Runs `berth` with these arguments until it ends by itself. */
export async function berthCommand(
  args: string[],
  { cwd, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
  limitMs = WAIT_LIMIT_MS,
): Promise<Finished> {
  const child = Bun.spawn([...berthProgram(), ...args], {
    cwd: cwd ?? process.cwd(),
    env: { ...process.env, NO_COLOR: "1", ...env },
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
