import { executableOf, type Program } from "../machine/index.ts";
import type { Texts } from "../settings/index.ts";

const LIMIT_MS = 60_000;
const UNTOLD = "the look at it did not come to its end";

/**
 * Has a process of its own look at a database: reading all of a large one would keep this one from everything else.
 * @param environment what this process was started with
 * @param program the one that runs right now
 */
export const faultsByProgram =
  (environment: Texts, program: Program) =>
  async (file: string): Promise<string[]> => {
    const { command, env } = executableOf(program).berth(["check-database", "--file", file]);
    const child = Bun.spawn(command, {
      env: { PATH: environment.PATH, TMPDIR: environment.TMPDIR, ...env },
      stdio: ["ignore", "pipe", "ignore"],
      timeout: LIMIT_MS,
    });
    const text = await new Response(child.stdout).text();
    if ((await child.exited) !== 0) return [text.trim() || UNTOLD];
    return text.split("\n").filter((line) => line !== "");
  };
