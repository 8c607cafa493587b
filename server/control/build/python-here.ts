import { settingText, type Texts } from "../../settings/index.ts";

/** The oldest Python that LangGraph runs on: 3.11. */
export const OLDEST_MINOR = 11;

/** What somebody does about a machine that has none. */
export const PYTHON_NEEDED = `needs Python 3.${OLDEST_MINOR} or newer, and this machine has none: install one, or name it by the setting PYTHON`;

/** Whether there is any Python: one that is named, or that the `PATH` leads to. */
export function isPythonHere(environment: Texts): boolean {
  const { PATH = "" } = environment;
  return (
    Boolean(settingText(environment, "PYTHON")) ||
    ["python3", "python"].some((name) => Bun.which(name, { PATH }) !== null)
  );
}

/**
 * Why a project with Python in it cannot be built here, in one line; undefined where nothing is Python, or there is one.
 * @param parts what of the project is Python
 */
export function pythonMissing([part]: readonly string[], isHere: boolean): string | undefined {
  return part === undefined || isHere ? undefined : `${part}: it ${PYTHON_NEEDED}`;
}
