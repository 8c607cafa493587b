import { basename, relative } from "node:path";
import { ownProgram } from "../machine/index.ts";

/** What somebody types to call this program, as it was called: what is printed can be copied. */
export type OwnCommands = {
  berth: string;
  /** Of the package manager that comes with it. */
  install(folder: string): string;
  /** Whether it goes only in the folder of the sources, so that other folders have to be named. */
  staysInFolder: boolean;
};

/** As a script of the sources, or as the executable, wherever that is. */
export function ownCommands(): OwnCommands {
  // What `bun run berth` in the sources tells its children; they find neither it nor Bun elsewhere.
  if (executable() === undefined && process.env.npm_lifecycle_event === "berth") {
    const bun = `npx --yes bun@${Bun.version}`;
    return {
      berth: `${bun} run berth`,
      install: (folder) => `${bun} install --cwd ${folder}`,
      staysInFolder: true,
    };
  }
  const berth = executable() ?? "berth";
  // The executable is a package manager, too; a Bun that is there is shorter.
  const manager = Bun.which("bun") || executable() === undefined ? "bun" : `BUN_BE_BUN=1 ${berth}`;
  return { berth, install: () => `${manager} install`, staysInFolder: false };
}

/** The compiled program; nothing when the sources run. */
function executable(): string | undefined {
  const { file, sources } = ownProgram();
  if (sources !== null) return undefined;
  const name = basename(file);
  if (Bun.which(name) === file) return name;
  const path = relative(process.cwd(), file);
  return path.startsWith("..") ? file : `./${path}`;
}
