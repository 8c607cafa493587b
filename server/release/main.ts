// `bun run release [--target NAME]… [--out FOLDER] [--key FILE] [--dirty]`: everything that a release of Berth consists
// of, in dist/release-VERSION: executables, a bill of materials, release notes and checksums, signed with a key.
import { createPrivateKey, type KeyObject, sign } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { commitOf, VERSION } from "../version.ts";
import { billOfMaterials } from "./bill-of-materials.ts";
import { TARGETS } from "./targets.ts";

const root = resolve(import.meta.dir, "..", "..");
const CHECKSUMS = "SHA256SUMS";

type ReleaseOptions = { targets: readonly string[]; folder: string; key: string | undefined };

try {
  release(readOptions(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`release: ${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}

/** @throws Error for an unknown option or target, or a work tree with changes that no commit has */
function readOptions(words: string[]): ReleaseOptions {
  const { values } = parseArgs({
    args: words,
    options: {
      target: { type: "string", multiple: true, default: [] },
      out: { type: "string", default: `dist/release-${VERSION}` },
      key: { type: "string" },
      dirty: { type: "boolean", default: false },
    },
  });
  const unknown = values.target.find((target) => !TARGETS.includes(target));
  if (unknown !== undefined) throw new Error(`no target "${unknown}": there are ${TARGETS.join(", ")}`);
  if (commitOf(root)?.endsWith("-dirty") && !values.dirty)
    throw new Error("there are changes that no commit has: commit them, or allow them with --dirty");
  const targets = values.target.length > 0 ? values.target : TARGETS;
  return { targets, folder: resolve(root, values.out), key: values.key };
}

function release({ targets, folder, key }: ReleaseOptions): void {
  const notes = releaseNotes(readFileSync(join(root, "CHANGELOG.md"), "utf8"));
  const signingKey = key === undefined ? undefined : readSigningKey(key);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const target of targets) build(target, join(folder, `berth-${VERSION}-${target}`));
  writeFileSync(
    join(folder, `berth-${VERSION}.cdx.json`),
    `${JSON.stringify(billOfMaterials(root), null, 2)}\n`,
  );
  writeFileSync(join(folder, "NOTES.md"), notes);
  const sums = checksums(folder);
  writeFileSync(join(folder, CHECKSUMS), sums);
  // The raw signature, as `openssl pkeyutl -verify -rawin` reads it.
  if (signingKey) writeFileSync(join(folder, `${CHECKSUMS}.sig`), sign(null, Buffer.from(sums), signingKey));
  process.stdout.write(sums);
}

/** @throws Error where the compiler fails; it has printed why */
function build(target: string, file: string): void {
  const command = [process.execPath, "server/build.ts", "--target", target, file];
  const { exitCode } = Bun.spawnSync(command, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  if (exitCode !== 0) throw new Error(`the executable for ${target} could not be built`);
}

/**
 * Returns the section of the changelog about this version, below a heading with version and commit.
 * @throws Error where the changelog has no such section
 */
function releaseNotes(changelog: string): string {
  const sections = changelog.split(/^## /m);
  const section = sections.find((text) => text.split("\n", 1)[0]?.trim() === VERSION);
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "## ${VERSION}"`);
  const commit = commitOf(root);
  const body = section.slice(section.indexOf("\n")).trim();
  return `# Berth ${VERSION}\n\n${commit === null ? "" : `Commit ${commit}.\n\n`}${body}\n`;
}

/** Returns the SHA-256 of every file of a folder, by name, as `sha256sum --check` reads them. */
function checksums(folder: string): string {
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const hash = new Bun.CryptoHasher("sha256").update(readFileSync(join(folder, name))).digest("hex");
      return `${hash}  ${name}\n`;
    })
    .join("");
}

/** @throws Error for a file that holds no Ed25519 private key in PEM */
function readSigningKey(file: string): KeyObject {
  const key = createPrivateKey(readFileSync(resolve(file)));
  if (key.asymmetricKeyType !== "ed25519") throw new Error(`${file} holds no Ed25519 key`);
  return key;
}
