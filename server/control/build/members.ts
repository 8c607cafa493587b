import { join, normalize } from "node:path";
import { packageFiles } from "@berth/agent";
import { isMember, MANIFEST, memberGlobs, PNPM_WORKSPACE } from "../../sources/index.ts";
import { isPlainFile, isRecord, parse, textInside } from "./source-files.ts";

/** A member of a workspace whose manifest names a file that is not there. */
export type Unbuilt = {
  name: string;
  /** Relative to the source, as everything here. */
  folder: string;
  file: string;
};

type Member = { folder: string; manifest: Record<string, unknown> };
type Place = { root: string; workspace: string; start: string };

const MOST_MEMBERS = 1_000;
const KINDS = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
/** What the runtime tries behind a path without an ending. */
const ENDINGS = ["", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".json", "/index.js", "/index.ts"];

/**
 * The members that a package of the workspace needs, directly or through others, that have a build script and whose
 * entry files are missing; in the order in which they have to be built.
 */
export async function unbuiltMembers({ root, workspace, start }: Place): Promise<Unbuilt[]> {
  const members = await membersOf(root, workspace);
  if (members.size === 0) return [];
  const own = parse(join(start, MANIFEST), (await textInside(root, join(start, MANIFEST))) ?? "{}");
  const found: Unbuilt[] = [];
  const seen = new Set<Member>();
  const visit = async (manifest: Record<string, unknown>): Promise<void> => {
    for (const name of dependenciesOf(manifest)) {
      const member = members.get(name);
      if (!member || seen.has(member) || member.folder === start) continue;
      seen.add(member);
      await visit(member.manifest);
      const file = hasBuild(member.manifest) ? await missingFile(root, member) : undefined;
      if (file !== undefined) found.push({ name, folder: member.folder, file });
    }
  };
  await visit(own);
  return found;
}

/** The members by the names of their packages. */
async function membersOf(root: string, workspace: string): Promise<Map<string, Member>> {
  const text = await textInside(root, join(workspace, MANIFEST));
  const manifest = text === undefined ? undefined : parse(join(workspace, MANIFEST), text);
  const globs = memberGlobs(manifest, await textInside(root, join(workspace, PNPM_WORKSPACE)));
  const members = new Map<string, Member>();
  for (const glob of globs.filter((one) => !one.startsWith("!"))) {
    const pattern = `${glob.replace(/^(?:\.?\/)+|\/+$/g, "")}/${MANIFEST}`;
    for await (const path of new Bun.Glob(pattern).scan({ cwd: join(root, workspace), onlyFiles: true })) {
      if (members.size >= MOST_MEMBERS) return members;
      const below = path.slice(0, -MANIFEST.length - 1);
      if (/(?:^|\/)node_modules(?:\/|$)/.test(below) || !isMember(globs, below)) continue;
      const folder = join(workspace, below);
      const own = await textInside(root, join(folder, MANIFEST));
      if (own === undefined) continue;
      const parsed = parse(join(folder, MANIFEST), own);
      if (typeof parsed.name === "string") members.set(parsed.name, { folder, manifest: parsed });
    }
  }
  return members;
}

const dependenciesOf = (manifest: Record<string, unknown>): string[] =>
  KINDS.flatMap((kind) => (isRecord(manifest[kind]) ? Object.keys(manifest[kind]) : []));

const hasBuild = ({ scripts }: Record<string, unknown>): boolean =>
  isRecord(scripts) && typeof scripts.build === "string";

async function missingFile(root: string, { folder, manifest }: Member): Promise<string | undefined> {
  for (const named of packageFiles(manifest)) {
    const file = normalize(named);
    // What is not in the package is not made by building it.
    if (file.startsWith("..")) continue;
    const paths = ENDINGS.map((ending) => join(folder, file + ending));
    const there = await Promise.all(paths.map((path) => isPlainFile(root, path)));
    if (!there.includes(true)) return file;
  }
  return undefined;
}
