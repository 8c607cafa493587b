import {
  hideSettings,
  ownName,
  settingsIn,
  type Texts,
  TRACING_SWITCHES,
  withoutSettings,
} from "../settings/index.ts";
import { readEnvironmentFile } from "./environment-file.ts";

/** Berth's own environment, apart from what code of the project sees of it. */
export type OwnEnvironment = {
  /** Whether names without `BERTH_` are the project's: Berth started this process for a deployment. */
  readonly isProjects: boolean;
  /** Everything that is set, also what is hidden from the project. */
  all(): Texts;
  /** What may set Berth. */
  settings(): Texts;
  /** Reads the file of `--env-file` again. @throws UsageError it cannot be read */
  readAgain(): void;
  /**
   * Removes Berth's settings from `process.env`, which code of the project sees.
   * @param isShipping whether Berth sends the traces, so that a tracer of LangChain must not send them as well
   */
  hide(isShipping: boolean): void;
};

/** The environment as the command got it; `process.env` loses Berth's settings before a project is loaded. */
export const environmentAtStart: Texts = { ...process.env };

/**
 * Reads the environment of this process, and the file that adds to it.
 * @throws UsageError the file cannot be read
 */
export function ownEnvironment(
  { "env-file": file }: { "env-file"?: string | undefined },
  { deployed = false }: { deployed?: boolean },
): OwnEnvironment {
  const read = (): Texts => (file === undefined ? {} : readEnvironmentFile(file));
  let added = read();
  // Berth sets this name without BERTH_ in containers, where the image may be of another server.
  const isProjects = deployed && environmentAtStart[ownName("GATEWAY_TOKEN")] !== undefined;
  const all = () => ({ ...environmentAtStart, ...added });
  // Models and tools of the project read their keys there.
  const show = () => Object.assign(process.env, withoutSettings(added));
  show();
  return {
    isProjects,
    all,
    settings: () => settingsIn(all(), isProjects),
    readAgain: () => {
      for (const name of Object.keys(withoutSettings(added))) restore(name);
      added = read();
      show();
    },
    hide: (isShipping) => {
      hideSettings(process.env, isProjects);
      if (isShipping) for (const name of TRACING_SWITCHES) process.env[name] = "false";
    },
  };
}

function restore(name: string): void {
  const value = environmentAtStart[name];
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
