import type { ContainerEngine } from "../../../machine/index.ts";

/** As much as is read at once; whoever wants the rest asks again. */
const MOST_BYTES = 16_777_216;
const LINE_CHARS = 65_536;
const LIMIT_MS = 60_000;

/** The lines of a command, both of its streams in their one order; null where there would have been too many. */
export async function* printed(engine: ContainerEngine, args: string[]): AsyncGenerator<string | null> {
  // Two pipes would lose the order; a shell is what has one for both.
  const child = Bun.spawn(["/bin/sh", "-c", 'exec "$0" "$@" 2>&1', engine.name, ...args], {
    cwd: "/",
    env: { ...engine.environment },
    stdio: ["ignore", "pipe", "ignore"],
    timeout: LIMIT_MS,
    killSignal: "SIGKILL",
  });
  const decoder = new TextDecoder();
  let rest = "";
  let bytes = 0;
  try {
    for await (const chunk of child.stdout) {
      bytes += chunk.length;
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = (lines.pop() ?? "").slice(0, LINE_CHARS);
      for (const line of lines) yield plain(line);
      if (bytes > MOST_BYTES) return yield null;
    }
    if (rest !== "") yield plain(rest);
  } finally {
    child.kill("SIGKILL");
    await child.exited;
  }
}

const plain = (line: string) => line.slice(0, LINE_CHARS).replace(/\r$/, "");

/** The last lines that a container printed, as far as they can be had. */
export async function lastWords(engine: ContainerEngine, container: string, count: number): Promise<string> {
  const lines: string[] = [];
  for await (const line of printed(engine, ["logs", "--tail", String(count), container]))
    if (line !== null) lines.push(line);
  return lines.slice(-count).join("\n");
}
