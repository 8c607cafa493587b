import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { ContainerEngine } from "../../../../server/machine/index.ts";

let folder: string;
let engine: ContainerEngine;

/** Stands in for an engine's command: prints what its first argument names. */
const SCRIPT = `#!/bin/sh
case "$1" in
  long) yes | head -c 67108864 ;;
  long-errors) yes | head -c 67108864 >&2; exit 1 ;;
  *) printf '%s\\n' "$1"; echo late >&2 ;;
esac
`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "berth-engine-"));
  writeFileSync(join(folder, "docker"), SCRIPT);
  chmodSync(join(folder, "docker"), 0o755);
  engine = new ContainerEngine("docker", { PATH: `${folder}${delimiter}${process.env.PATH}` });
});
afterAll(() => rmSync(folder, { recursive: true }));

test("a command that prints too much is ended, whichever stream it prints to", async () => {
  for (const what of ["long", "long-errors"])
    await expect(engine.run([what])).rejects.toThrow(`docker ${what} printed more than 16777216 bytes`);
});

test("what another command prints is its result", async () => {
  expect(await engine.run(["hello"])).toBe("hello");
});
