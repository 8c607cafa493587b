import { afterAll, beforeAll, expect } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { ROOT } from "../../smoke/program.ts";
import { type BerthProcess, start } from "../berth-process.ts";

/** Which package of ours stands for one that the project names; TypeScript is another version than our own. */
const PACKAGES = {
  "@langchain/langgraph": "@langchain/langgraph",
  "@langchain/langgraph-sdk": "@langchain/langgraph-sdk",
  "@langchain/core": "@langchain/core",
  hono: "hono",
  typescript: "typescript-5",
};

/** A Berth that serves the project, for the tests of the calling file. */
export function servedElsewhere(): { readonly url: string; output(): string } {
  const made: { project?: ReturnType<typeof elsewhere>; berth?: BerthProcess } = {};
  beforeAll(async () => {
    made.project = elsewhere();
    made.berth = await start({ project: made.project.path, env: { LOG_LEVEL: "info" } });
  });
  afterAll(async () => {
    const code = await made.berth?.stop();
    made.project?.remove();
    expect(code).toBe(0);
  });
  const started = (): BerthProcess => {
    if (!made.berth) throw new Error("Berth has not started yet");
    return made.berth;
  };
  return {
    get url() {
      return started().url;
    },
    output: () => started().output(),
  };
}

/** A copy of the project as its author has it: in a folder of its own, with its own packages beside it. */
function elsewhere(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "berth-elsewhere-"));
  cpSync(join(import.meta.dir, "project"), path, { recursive: true });
  for (const [name, ours] of Object.entries(PACKAGES)) {
    const link = join(path, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", ours), link);
  }
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** The official client as one of the project's users. */
export const clientOf = (apiUrl: string, user: string): Client =>
  new Client({
    apiUrl,
    defaultHeaders: { authorization: `Bearer ${user}` },
    callerOptions: { maxRetries: 0 },
  });
