import { afterAll, beforeAll, describe, expect } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TEST_LIMIT_MS, WAIT_LIMIT_MS } from "../../limits.ts";
import { because, notLong, testUnless } from "../../skips.ts";
import { type BerthProcess, start } from "../berth-process.ts";
import { berthCommand } from "../command.ts";
import { converse } from "./conversation.ts";
import { SHAPES, type Shape } from "./shapes.ts";

const KEY = "a-key-for-deployments";
const folder = mkdtempSync(join(tmpdir(), "berth-shapes-"));
let deployer: BerthProcess;
beforeAll(async () => {
  deployer = await start({ env: { SERVICE_API_KEY: KEY } });
});
afterAll(async () => {
  await deployer?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Serves it where it lies, as somebody who has just cloned and installed it. */
async function served(shape: Shape, path: string): Promise<void> {
  const berth = await start({ project: path, env: shape.environment });
  try {
    await converse(berth.url, shape);
    for (const warning of shape.warnings) expect(berth.output()).toContain(warning);
  } finally {
    expect(await berth.stop()).toBe(0);
  }
}

async function deployed(shape: Shape, path: string): Promise<void> {
  const env = { SERVICE_API_KEY: KEY, SERVICE_ENDPOINT: deployer.url, ...shape.environment };
  const { code, stdout, stderr } = await berthCommand(
    ["deploy", "--no-input", "--name", shape.name],
    { cwd: path, env },
    3 * WAIT_LIMIT_MS,
  );
  if (code !== 0) throw new Error(`${stderr}\n${stdout}`);
  const url = /^ *URL: (\S+)$/m.exec(stdout)?.[1] ?? "";
  await converse(url, shape, KEY);
  const removed = await berthCommand(["deploy", "delete", shape.name, "--force"], { cwd: path, env });
  expect(removed.code).toBe(0);
}

/** Others are like one of these to what installs and serves them. */
const SHORT = ["yarn-single", "email-assistant"];
const notServed = (shape: Shape) => because(!SHORT.includes(shape.name), notLong ?? "");

describe.each(SHAPES.map((shape) => [shape.name, shape] as const))("%s", (_, shape) => {
  let path = "";
  beforeAll(async () => {
    path = await shape.copy(join(folder, shape.name));
  }, TEST_LIMIT_MS);

  // Before anything is installed or built beside it: that is the server's work.
  testUnless(notLong)(
    "is deployed, talks twice, asks and goes on",
    () => deployed(shape, path),
    TEST_LIMIT_MS,
  );

  testUnless(notServed(shape) || undefined)(
    "is installed and served in place, talks twice, asks and goes on",
    async () => {
      await shape.install(join(folder, shape.name));
      await served(shape, path);
    },
    TEST_LIMIT_MS,
  );
});
