import { expect, test } from "bun:test";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Parser } from "tar";
import { configPathOf, isLeftOut, packed, readChosen } from "../../../web/console/deployments/archive.ts";

type Entry = { path: string; text: string; mode: number | undefined };

/** What another program reads in an archive. */
async function entriesOf(archive: Blob): Promise<Entry[]> {
  const entries: Entry[] = [];
  const parser = new Parser({ strict: true });
  parser.on("entry", (entry) => {
    const chunks: Buffer[] = [];
    entry.on("data", (chunk: Buffer) => chunks.push(chunk));
    entry.on("end", () =>
      entries.push({ path: entry.path, text: Buffer.concat(chunks).toString(), mode: entry.mode }),
    );
  });
  await pipeline(Readable.from(Buffer.from(await archive.arrayBuffer())), parser);
  return entries;
}

const content = (text: string) => new Blob([text]);

test("another program reads what was packed, whatever its names and sizes", async () => {
  const deep = `${Array.from({ length: 12 }, (_, at) => `folder-number-${at}`).join("/")}/file.ts`;
  const texts: Record<string, string> = {
    "graph.json": "{}",
    empty: "",
    block: "x".repeat(512),
    "more than a block": "y".repeat(513),
    "src/grüße/日本語.ts": "export {}",
    "bin/run": "#!/bin/sh\necho hi\n",
    [deep]: "deep",
    [`${"l".repeat(240)}.ts`]: "long",
    [`${"a".repeat(90)}/${"b".repeat(95)}.ts`]: "prefix",
    [`${"ü".repeat(80)}/${"ö".repeat(120)}.ts`]: "record",
    large: "z".repeat(300_000),
  };
  const files = Object.entries(texts).map(([path, text]) => ({ path, content: content(text) }));
  const archive = await packed({ kind: "folder", name: "project", files, leftOut: [] });
  const entries = await entriesOf(archive);
  expect(Object.fromEntries(entries.map(({ path, text }) => [path, text]))).toEqual(texts);
  expect(entries.filter(({ mode }) => mode !== 0o644).map(({ path }) => path)).toEqual(["bin/run"]);
  expect(archive.size).toBeLessThan(10_000);
});

test("an archive that was dropped goes as it is", async () => {
  const file = new File(["anything"], "agent.tar.gz");
  expect(await packed({ kind: "archive", file })).toBe(file);
  expect(await readChosen([file])).toEqual({ kind: "archive", file });
});

const chosen = (path: string, text = "") => {
  const file = new File([text], path.split("/").at(-1) ?? "");
  Object.defineProperty(file, "webkitRelativePath", { value: path });
  return file;
};

test("of a folder everything goes but packages, git's own, and secrets", async () => {
  const project = await readChosen([
    chosen("agent/graph.json", "{}"),
    chosen("agent/src/agent.ts"),
    chosen("agent/node_modules/x/index.js"),
    chosen("agent/src/.git/config"),
    chosen("agent/.env", "KEY=1"),
    chosen("agent/.env.example"),
  ]);
  expect(project).toMatchObject({
    kind: "folder",
    name: "agent",
    leftOut: [".env", ".git", "node_modules"],
    environment: "KEY=1",
  });
  if (project.kind !== "folder") throw new Error("it is a folder");
  expect(project.files.map(({ path }) => path)).toEqual([".env.example", "graph.json", "src/agent.ts"]);
  expect(isLeftOut(".env.local")).toBe(true);
});

test("a folder of which nothing is left is told", async () => {
  expect(readChosen([chosen("agent/node_modules/x.js")])).rejects.toThrow("no files in agent");
});

test("the configuration is the one that lies highest", () => {
  const paths = ["apps/agent/graph.json", "deep/er/graph.json", "my-graph.json"].map((path) => ({ path }));
  expect(configPathOf(paths)).toBe("apps/agent/graph.json");
  expect(configPathOf([...paths, { path: "langgraph.json" }])).toBe("langgraph.json");
  expect(configPathOf([{ path: "index.ts" }])).toBeUndefined();
});
