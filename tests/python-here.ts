import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./runner/run.ts";

/** The virtual environment of the tests: the runner makes it. */
export const VENV = join(ROOT, "node_modules", ".berth-python");

/** The interpreter that has LangGraph: one that is named, else that of the tests; undefined where neither is there. */
export function testPython(): string | undefined {
  const named = process.env.PYTHON;
  if (named) return named;
  const own = join(VENV, "bin", "python");
  return existsSync(join(VENV, "complete")) ? own : undefined;
}

/** Why what needs Python is not tested here. */
export const noPython = testPython() === undefined ? "no Python 3.11 with pip is here" : undefined;
