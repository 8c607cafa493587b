import { ContainerEngine, ENGINE_NAMES, firstThatAnswers } from "../../machine/index.ts";
import { settingText } from "../../settings/index.ts";
import { DeployFailure, EXIT } from "./failure.ts";
import type { Output } from "./output.ts";

const SETTING = "CONTAINER_ENGINE";
const TAIL_LINES = 30;

/**
 * The container engine of this machine that answers, or the one that CONTAINER_ENGINE names.
 * @throws DeployFailure
 */
export async function findEngine(environment = process.env): Promise<ContainerEngine> {
  const wanted = settingText(environment, SETTING)?.trim() || "auto";
  const names = wanted === "auto" ? ENGINE_NAMES : ENGINE_NAMES.filter((name) => name === wanted);
  if (names.length === 0)
    throw new DeployFailure(
      `${SETTING} must be auto, ${ENGINE_NAMES.join(" or ")}, not "${wanted}"`,
      EXIT.usage,
    );
  const { engine, reasons } = await firstThatAnswers(
    names.map((name) => new ContainerEngine(name, environment)),
  );
  if (engine) return engine;
  const why = reasons.length === 0 ? "none is installed" : reasons.join("; ");
  throw new DeployFailure(
    `--local needs a running container engine (${names.join(" or ")}), and ${why}: start one, or deploy without --local, which builds on the server`,
    EXIT.usage,
  );
}

type Running = {
  /** What it means when the engine fails. */
  what: string;
  output: Output;
  env?: Readonly<Record<string, string>>;
};

/**
 * Runs an engine's command for as long as it takes and gives what it printed.
 * @throws DeployFailure behind the last lines of what it said
 */
export async function runEngine(
  engine: ContainerEngine,
  command: readonly string[],
  { what, output, env = {} }: Running,
): Promise<string> {
  const child = Bun.spawn([engine.name, ...command], {
    env: { ...engine.environment, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  const code = await child.exited;
  if (code === 0) return out;
  const lines = `${out}${err}`.trim().split("\n");
  for (const line of lines.slice(-TAIL_LINES)) output.log(line);
  // The engine's own reason comes last, also where a page of steps is before it.
  const reason = err.trim().split("\n").at(-1) || `exit code ${code}`;
  throw new DeployFailure(`${engine.name} ${what}: ${reason}`);
}
