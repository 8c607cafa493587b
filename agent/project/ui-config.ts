import { resolve } from "node:path";
import { isRecord } from "../record.ts";
import type { ProjectFile } from "./config.ts";
import { ProjectError } from "./project-error.ts";

/** Components that a project draws in the pages of its clients (`ui`, `ui_config`). */
export type UiConfig = {
  /** The folder of the configuration file. */
  dir: string;
  /** Graph id → the module that has its components. */
  modules: Readonly<Record<string, string>>;
  /** Packages that the page shares, beside React and the client's own. */
  shared: readonly string[];
};

/** @throws ProjectError */
export async function readUi({ file, dir, config }: ProjectFile): Promise<UiConfig | undefined> {
  const { ui, ui_config } = config;
  if (ui === undefined || ui === null) return undefined;
  if (!isRecord(ui)) throw new ProjectError(`${file}: ui: must be an object of graph id to file`);
  const modules: Record<string, string> = {};
  for (const [graph, path] of Object.entries(ui)) {
    const module = typeof path === "string" ? resolve(dir, path) : undefined;
    if (module === undefined || !(await Bun.file(module).exists()))
      throw new ProjectError(`${file}: ui.${graph}: ${module ?? JSON.stringify(path)} is no file`);
    modules[graph] = module;
  }
  return { dir, modules, shared: (ui_config?.shared ?? []).map(String) };
}
