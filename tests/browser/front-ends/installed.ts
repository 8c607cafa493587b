import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { run } from "../../smoke/program.ts";

/** A folder with the front-ends' packages, and what drives them. They stay out of the repository's own installation. */
export type FrontEnds = {
  /** The script of a page, which bundles what stands in this file. */
  page(file: string): Promise<string>;
  /** Runs a client to its end, and gives the lines of JSON that it printed. */
  client<Line>(file: string, ...words: string[]): Promise<Line[]>;
  remove(): void;
};

/** Installs them in a folder of their own, as the lock file says. */
export async function installFrontEnds(): Promise<FrontEnds> {
  const folder = mkdtempSync(join(tmpdir(), "berth-front-ends-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const bun = async (...words: string[]) => {
    const { code, out, err } = await run([process.execPath, ...words], folder);
    if (code !== 0) throw new Error(`bun ${words.join(" ")} failed:\n${err}${out}`);
    return out;
  };
  cpSync(import.meta.dir, folder, {
    recursive: true,
    filter: (path) => !["node_modules", "dist", "installed.ts"].includes(basename(path)),
  });
  try {
    await bun("install", "--frozen-lockfile");
  } catch (error) {
    remove();
    throw error;
  }
  return {
    page: async (file) => {
      await bun("bundle.ts", `./${file}`);
      return Bun.file(join(folder, "dist", file.replace(/\.tsx?$/, ".js"))).text();
    },
    client: async <Line>(file: string, ...words: string[]) =>
      (await bun(file, ...words))
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Line),
    remove,
  };
}
