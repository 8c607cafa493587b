import { afterAll, beforeAll, expect } from "bun:test";
import { chmodSync, cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type BerthProcess, start } from "../e2e/berth-process.ts";
import { berthCommand } from "../e2e/command.ts";
import { WAIT_LIMIT_MS } from "../limits.ts";
import { noPython, testPython } from "../python-here.ts";
import { ROOT } from "../runner/run.ts";
import { describeUnless, notLong } from "../skips.ts";

const KEY = "a-key-for-cases";

/** A small project that is being served. Its members are valid inside tests, not while tests are declared. */
export type ServedCase = {
  /** Base URL of the Agent Server. */
  readonly url: string;
  /** Headers that every request needs. */
  readonly headers: Record<string, string>;
  /** Copy of the project's folder that is served in place; a deployment runs from a copy of its own. */
  readonly project: string;
  /** What Berth printed so far. */
  output(): string;
};

type CaseOptions = {
  /** Environment of Berth. */
  env?: Record<string, string>;
  /** Options of `berth start` in place. */
  args?: string[];
  /** Folder of the configuration file inside the case, where that is another one. */
  folder?: string;
  /** Whether the project is only deployed, because its packages are not those of the tests. */
  deployedOnly?: boolean;
};

/**
 * Declares the same tests for a project of `tests/cases` served in place and, in long runs, deployed.
 *
 * @param name folder below `tests/cases`, such as `python/numbers`
 */
export function describeCase(
  name: string,
  tests: (served: ServedCase) => void,
  options: CaseOptions = {},
): void {
  const missing = name.startsWith("python/") ? noPython : undefined;
  if (!options.deployedOnly) describeUnless(missing)(`${name} in place`, () => tests(inPlace(name, options)));
  describeUnless(missing ?? notLong)(`${name} deployed`, () => tests(deployed(name, options)));
}

function inPlace(name: string, { env, args, folder }: CaseOptions): ServedCase {
  const served = new Served(name, folder);
  beforeAll(async () => {
    served.copy();
    served.berth = await start({
      project: served.project,
      env: { PYTHON: testPython() ?? "", ...env },
      ...(args && { args }),
    });
    served.url = served.berth.url;
  });
  afterAll(() => served.stop());
  return served;
}

function deployed(name: string, { env, folder }: CaseOptions): ServedCase {
  const served = new Served(name, folder);
  beforeAll(async () => {
    served.copy();
    const settings = { SERVICE_API_KEY: KEY, DEPLOY_SETTLE_SECONDS: "0", PYTHON: testPython() ?? "" };
    served.berth = await start({ env: { ...settings, ...env } });
    served.headers = { "x-api-key": KEY };
    const result = await berthCommand(
      ["deploy", "--no-input"],
      { cwd: served.project, env: { SERVICE_API_KEY: KEY, SERVICE_ENDPOINT: served.berth.url } },
      3 * WAIT_LIMIT_MS,
    );
    expect([result.stderr, result.code]).toEqual(["", 0]);
    served.url = /(http\S+\/d\/[\w-]+)/.exec(result.stdout)?.[1] ?? "";
  });
  afterAll(() => served.stop());
  return served;
}

class Served implements ServedCase {
  readonly #scratch = mkdtempSync(join(tmpdir(), "berth-case-"));
  readonly project: string;
  berth: BerthProcess | undefined;
  url = "";
  headers: Record<string, string> = {};

  constructor(
    private readonly name: string,
    folder = "",
  ) {
    this.project = join(this.#scratch, basename(name), folder);
  }

  output(): string {
    return this.berth?.output() ?? "";
  }

  copy(): void {
    // A deployment runs as a user of its own.
    chmodSync(this.#scratch, 0o755);
    cpSync(join(import.meta.dir, this.name), join(this.#scratch, basename(this.name)), { recursive: true });
    // A project that is served in place resolves its packages there; a deployment installs its own.
    symlinkSync(join(ROOT, "node_modules"), join(this.#scratch, "node_modules"));
  }

  async stop(): Promise<void> {
    const code = await this.berth?.stop();
    rmSync(this.#scratch, { recursive: true, force: true });
    expect(code).toBe(0);
  }
}

/** Sends raw JSON text, so that numbers and the order of keys reach Berth as written. */
export async function send(
  served: ServedCase,
  method: string,
  path: string,
  text?: string,
): Promise<{ status: number; text: string }> {
  const response = await fetch(served.url + path, {
    method,
    headers: { ...served.headers, "content-type": "application/json" },
    ...(text !== undefined && { body: text }),
  });
  return { status: response.status, text: await response.text() };
}
