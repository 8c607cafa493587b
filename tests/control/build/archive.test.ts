import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { create } from "tar";
import { ARCHIVE_LIMITS, type ArchiveLimits, readArchive } from "../../../server/control/build/archive.ts";
import { BadArchive } from "../../../server/control/build/entry-names.ts";
import { unpackArchive } from "../../../server/control/build/tarball.ts";
import { pax, type RawEntry, rawTar, rawTarGz } from "./raw-tar.ts";

let folder: string;
let count = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "berth-archive-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const nobodyStops = new AbortController().signal;

async function unpack(bytes: Uint8Array) {
  count += 1;
  const file = join(folder, `${count}.tgz`);
  const target = join(folder, `out-${count}`);
  await writeFile(file, bytes);
  return { target, content: await unpackArchive(file, target, nobodyStops) };
}

/** The message with which an archive is refused; nothing of it is left. */
async function refusal(bytes: Uint8Array): Promise<string> {
  const error = await unpack(bytes).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(BadArchive);
  expect(existsSync(join(folder, `out-${count}`))).toBe(false);
  expect(existsSync(join(folder, `out-${count}.part`))).toBe(false);
  return (error as BadArchive).message;
}

const readOnly = async (bytes: Uint8Array, limits: Partial<ArchiveLimits>) => {
  count += 1;
  const file = join(folder, `${count}.tgz`);
  await writeFile(file, bytes);
  const sink = { folder: () => undefined, file: () => ({ write: () => undefined, end: () => undefined }) };
  return readArchive(file, sink, { limits: { ...ARCHIVE_LIMITS, ...limits } });
};

describe("an ordinary archive", () => {
  test.each([true, false])("of the library that deploys is unpacked (gzip: %p)", async (gzip) => {
    const project = join(folder, `project-${gzip}`);
    mkdirSync(join(project, "lib", "deep"), { recursive: true });
    await writeFile(join(project, "graph.json"), "{}");
    await writeFile(join(project, "lib", "deep", "ünï.ts"), "export const a = 1;\n".repeat(20_000));
    await writeFile(join(project, "run.sh"), "#!/bin/sh\n");
    chmodSync(join(project, "run.sh"), 0o4775);
    const file = join(folder, `good-${gzip}.tgz`);
    await create({ file, cwd: project, gzip }, ["."]);
    const target = join(folder, `good-${gzip}`);
    const content = await unpackArchive(file, target, nobodyStops);
    expect(content.files).toBe(3);
    expect(readFileSync(join(target, "lib", "deep", "ünï.ts"), "utf8")).toHaveLength(400_000);
    // Neither setuid nor writable by others, but executable.
    expect(lstatSync(join(target, "run.sh")).mode & 0o7777 & ~0o755).toBe(0);
    expect(lstatSync(join(target, "run.sh")).mode & 0o100).toBe(0o100);
    expect(lstatSync(join(target, "graph.json")).mode & 0o111).toBe(0);
  });

  test("with long names, in several gzip members and with zeros behind its end is unpacked", async () => {
    const long = `${"folder-with-a-name/".repeat(12)}file.ts`;
    const tar = rawTar([pax({ path: long }), { name: "short", content: "long name" }, { name: "b.ts" }]);
    const members = [tar.subarray(0, 1_000), tar.subarray(1_000), Buffer.alloc(50_000)];
    const { target, content } = await unpack(Buffer.concat(members.map((part) => gzipSync(part))));
    expect(content).toEqual({ files: 2, bytes: 9 });
    expect(readFileSync(join(target, long), "utf8")).toBe("long name");
    expect(readFileSync(join(target, "b.ts"), "utf8")).toBe("");
  });

  test("replaces what an attempt before it left", async () => {
    const { target } = await unpack(rawTarGz([{ name: "old.ts", content: "1" }]));
    const file = join(folder, "again.tgz");
    await writeFile(file, rawTarGz([{ name: "new.ts", content: "2" }]));
    await unpackArchive(file, target, nobodyStops);
    expect(readdirSync(target)).toEqual(["new.ts"]);
  });
});

describe("refused is", () => {
  const good: RawEntry = { name: "graph.json", content: "{}" };
  const attacks: [what: string, entries: RawEntry[], message: RegExp][] = [
    ["a path with ..", [{ name: "a/../../escape.ts" }], /"a\/\.\.\/\.\.\/escape\.ts" has a path with \.\./],
    ["an absolute path", [{ name: "/etc/cron.d/x" }], /"\/etc\/cron\.d\/x" has an absolute path/],
    ["a drive", [{ name: "C:/x" }], /absolute path/],
    ["a backslash", [{ name: "..\\..\\x" }], /backslash/],
    ["a symbolic link", [{ name: "link", type: "2", link: "/etc/passwd" }], /"link" is a link/],
    ["a hard link", [good, { name: "hard", type: "1", link: "graph.json" }], /"hard" is a link/],
    ["a link as a folder", [{ name: "l", type: "2", link: "/tmp" }, { name: "l/x" }], /"l" is a link/],
    ["a device", [{ name: "null", type: "3" }], /"null" is of the kind CharacterDevice/],
    ["a pipe", [{ name: "fifo", type: "6" }], /"fifo" is of the kind FIFO/],
    ["an unknown kind", [{ name: "odd", type: "Z" }], /"odd"/],
    ["a line break", [{ name: "a\nb" }], /characters in its path/],
    ["a NUL in a long name", [pax({ path: "graph.json\0.png" }), { name: "x" }], /NUL|damaged/],
    [".. in a long name", [pax({ path: "../../x" }), { name: "x" }], /path with \.\./],
    ["the same file twice", [good, good], /"graph\.json" is in it twice/],
    ["a file by two spellings", [good, { name: "./graph.json" }], /is in it twice/],
    ["two names that differ in case", [{ name: "A.ts" }, { name: "a.ts" }], /differ in case/],
    ["two folders that differ in case", [{ name: "Lib/x" }, { name: "lib/y" }], /differ in case/],
    [
      "accents written two ways",
      [{ name: "\u00e9.ts" }, { name: "e\u0301.ts" }],
      /differ in case or accents/,
    ],
    ["a file in the place of a folder", [{ name: "a/b" }, { name: "a" }], /"a" is in it twice/],
    ["a folder in the place of a file", [{ name: "a" }, { name: "a/b" }], /"a\/b" is in it twice/],
    ["a deep path", [pax({ path: `${"d/".repeat(64)}x` }), { name: "x" }], /more than 64 folders deep/],
    ["a long path", [pax({ path: `${"d".repeat(200)}/`.repeat(6) }), { name: "x" }], /more than 1024 bytes/],
    ["a long name", [pax({ path: "n".repeat(256) }), { name: "x" }], /name of more than 255 bytes/],
    ["a huge pax header", [{ name: "p", type: "x", content: "x".repeat(1_100_000) }, good], /kind Ext/],
  ];
  test.each(attacks)("%s", async (_what, entries, message) => {
    expect(await refusal(rawTarGz(entries))).toMatch(message);
  });

  const broken: [what: string, bytes: () => Uint8Array, message: RegExp][] = [
    ["an empty file", () => new Uint8Array(), /^The archive is empty$/],
    ["an archive without entries", () => rawTarGz([]), /holds no files/],
    ["one with folders only", () => rawTarGz([{ name: "a/", type: "5" }]), /holds no files/],
    ["gzip that is cut short", () => rawTarGz([good]).subarray(0, -20), /cut short/],
    [
      "a tar that is cut short",
      () => rawTar([{ name: "x", content: "y".repeat(5_000) }]).subarray(0, 2_000),
      /cut short/,
    ],
    [
      "broken gzip",
      () => Buffer.concat([rawTarGz([good]).subarray(0, 10), Buffer.alloc(60, 7)]),
      /not valid gzip|cut short/,
    ],
    [
      "text",
      () => Buffer.from("not an archive at all, but a text of some length ".repeat(30)),
      /neither|damaged/,
    ],
    ["a zip", () => Buffer.from(`PK\u0003\u0004${"x".repeat(2_000)}`), /packed with zip/],
    ["a size that lies", () => rawTar([{ name: "x", content: "abc", size: 8 ** 10 }]), /more than|cut short/],
  ];
  test.each(broken)("%s", async (_what, bytes, message) => expect(await refusal(bytes())).toMatch(message));
});

describe("the limits stop an archive while it is read:", () => {
  const zeros = (bytes: number): RawEntry => ({ name: "zeros", content: new Uint8Array(bytes) });

  test("its size", () =>
    expect(readOnly(rawTarGz([zeros(10)]), { compressedBytes: 50 })).rejects.toThrow(/larger than 50 bytes/));

  test("what it unpacks to", () =>
    expect(readOnly(rawTarGz([zeros(300_000)]), { unpackedBytes: 200_000 })).rejects.toThrow(
      /more than 200000/,
    ));

  test("its entries, and the folders between", () => {
    const many = Array.from({ length: 10 }, (_, at) => ({ name: `f${at}/x` }));
    return expect(readOnly(rawTarGz(many), { entries: 15 })).rejects.toThrow(/more than 15 entries/);
  });

  test("how much smaller it was: a bomb is left before it is unpacked", () => {
    const bomb = rawTarGz([zeros(50 * 2 ** 20)]);
    expect(bomb.length).toBeLessThan(100_000);
    const limits = { ratio: { most: 200, from: 2 ** 20 } };
    return expect(readOnly(bomb, limits)).rejects.toThrow(/more than 200 times its size/);
  });

  test("what follows its end, which is only zeros in honest ones", () =>
    expect(
      readOnly(gzipSync(Buffer.concat([rawTar([zeros(10)]), Buffer.alloc(2 ** 20)])), {
        unpackedBytes: 1_000,
        entries: 10,
      }),
    ).rejects.toThrow(/more than 1000 bytes/));
});

const SEGMENTS = [
  "a",
  "A",
  "..",
  ".",
  "",
  "b.ts",
  "\\\\",
  "a\\0",
  "é",
  "\u0065\u0301",
  "con",
  "x".repeat(90),
  "~",
  "-rf",
];
const entry = fc.record({
  name: fc
    .array(fc.constantFrom(...SEGMENTS), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join("/")),
  type: fc.constantFrom("0", "0", "0", "5", "1", "2", "3", "7"),
  link: fc.constantFrom("", "..", "/etc"),
  content: fc.string({ maxLength: 20 }),
  mode: fc.integer({ min: 0, max: 0o7777 }),
});

test("whatever entries say, what is unpacked lies in the folder and is a plain file or folder", async () => {
  const property = fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 5 }), async (entries) => {
    const before = readdirSync(folder).length;
    const { target } = await unpack(rawTarGz(entries)).catch((error: unknown) => {
      if (!(error instanceof BadArchive)) throw error;
      return { target: undefined };
    });
    expect(readdirSync(folder).length).toBe(before + (target === undefined ? 1 : 2));
    const found = target === undefined ? [] : readdirSync(target, { withFileTypes: true, recursive: true });
    expect(found.filter((one) => !one.isFile() && !one.isDirectory())).toEqual([]);
    expect(
      found.filter(({ parentPath, name }) => (lstatSync(join(parentPath, name)).mode & 0o7022) !== 0),
    ).toEqual([]);
  });
  await fc.assert(property, { numRuns: 300 });
});

test.each([
  ["zstd", () => Bun.zstdCompressSync(rawTar([{ name: "a", content: "1" }]))],
  ["zip", () => new Uint8Array([0x50, 0x4b, 3, 4, 0, 0, 0, 0])],
])("an archive that is packed with %s is refused by that name", async (name, bytes) =>
  expect(await refusal(new Uint8Array(bytes()))).toBe(
    `The archive is packed with ${name}: send a tar or tar.gz (tar -czf project.tar.gz .)`,
  ),
);

test("an interrupted build stops reading", async () => {
  const file = join(folder, "stopped.tgz");
  await writeFile(file, rawTarGz([{ name: "a", content: new Uint8Array(2 ** 20) }]));
  const stop = new AbortController();
  const reading = unpackArchive(file, join(folder, "stopped"), stop.signal);
  stop.abort();
  expect(reading).rejects.toThrow();
  await reading.catch(() => undefined);
  expect(existsSync(join(folder, "stopped"))).toBe(false);
});
