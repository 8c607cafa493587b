import { afterAll, describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commitOf } from "../../server/version.ts";
import { freePort } from "../free-port.ts";
import { AT_ONCE_MS, TEST_LIMIT_MS } from "../limits.ts";
import { noFile } from "../postgres/for-data.ts";
import { testUnless } from "../skips.ts";
import { ROOT } from "../smoke/program.ts";
import { FIXTURES, start } from "./berth-process.ts";
import { berthCommand } from "./command.ts";
import { until } from "./condition.ts";
import { query } from "./stored.ts";

const folder = mkdtempSync(join(tmpdir(), "berth-cli-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let projects = 0;

/** A project folder with these files. */
function project(files: Record<string, string>): string {
  projects += 1;
  const path = join(folder, `project-${projects}`);
  mkdirSync(path);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
}

const ofGraph = (module: string, entry = "./g.ts:graph") =>
  project({ "graph.json": JSON.stringify({ graphs: { a: entry } }), "g.ts": module });

const data = () => mkdtempSync(join(folder, "data-"));

/** The command fails with one line on stderr that says all of this, and nothing else. */
async function expectRefused(
  args: string[],
  words: (string | RegExp)[],
  env: Record<string, string> = {},
): Promise<void> {
  const { code, stdout, stderr } = await berthCommand(args, { cwd: folder, env });
  expect([args, code, stdout]).toEqual([args, 1, ""]);
  expect(stderr).toMatch(/^berth: [^\n]+\n$/);
  for (const word of words) expect(stderr).toMatch(word);
  expect(stderr).not.toMatch(/ at .*:\d+:\d+/);
}

describe("help", () => {
  test("names every command, in words that need no knowledge of the inside", async () => {
    for (const args of [["--help"], ["-h"]]) {
      const { code, stdout, stderr } = await berthCommand(args);
      expect([code, stderr]).toEqual([0, ""]);
      for (const command of ["start", "dev", "serve", "new", "deploy", "keys"])
        expect(stdout).toMatch(new RegExp(`^ *${command} {2,}\\w`, "m"));
    }
    const { stdout } = await berthCommand(["start", "--help"]);
    for (const option of ["project", "port", "host", "data"]) expect(stdout).toContain(`--${option}=`);
    expect(stdout).toContain("8123");
    expect((await berthCommand(["keys", "create", "--help"])).stdout).toContain("--name");
  });

  test("is shown where no command is given", async () => {
    const { code, stdout, stderr } = await berthCommand([], { env: { NO_COLOR: "" } });
    expect(code).toBe(1);
    // No colour where no terminal is.
    expect(stderr).toBe("No command specified.\n");
    expect(stdout).toContain("start");
  });

  test("an unknown command is told in two lines on stderr, with the one that was meant", async () => {
    for (const [args, meant, help] of [
      [["frobnicate"], undefined, "berth help"],
      [["strat"], "berth start", "berth help"],
      [["doctro", "--json"], "berth doctor", "berth help"],
      [["keys", "crate", "--help"], "berth keys create", "berth help keys"],
      [["help", "keys", "crate"], "berth keys create", "berth help keys"],
    ] as const) {
      const { code, stdout, stderr } = await berthCommand([...args], { env: { NO_COLOR: "" } });
      expect([args, code, stdout]).toEqual([args, 1, ""]);
      expect(stderr).toMatch(/^berth: there is no command [^\n]+\n[^\n]+\n$/);
      expect(stderr).toContain(`"${help}" shows`);
      if (meant) expect(stderr).toContain(`Did you mean "${meant}"?`);
      else expect(stderr).not.toContain("Did you mean");
    }
  });

  test("help says what --help says", async () => {
    const { code, stdout, stderr } = await berthCommand(["help"]);
    expect([code, stderr, stdout]).toEqual([0, "", (await berthCommand(["--help"])).stdout]);
    const below = await berthCommand(["help", "deploy", "list"]);
    expect(below.stdout).toBe((await berthCommand(["deploy", "list", "--help"])).stdout);
  });

  test("--version is the version of the API document, and the commit where there is one", async () => {
    const { code, stdout } = await berthCommand(["--version"]);
    expect(code).toBe(0);
    const known = commitOf(ROOT);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+(?: \(commit [\da-f]{40}(?:-dirty)?\))?\n$/);
    expect(stdout.includes("commit")).toBe(known !== null);
  });
});

describe("start refuses", () => {
  const started = (dir: string) => ["start", "--project", dir, "--port", "0", "--data", data()];

  test("a folder that is no project", async () => {
    const empty = project({});
    await expectRefused(started(empty), [empty, "graph.json"]);
    await expectRefused(started(join(folder, "nowhere")), ["nowhere", "no such"]);
    await expectRefused(["serve", "--project", empty, "--port", "0", "--data", data()], ["graph.json"]);
  });

  test("a graph.json that is broken", async () => {
    await expectRefused(started(project({ "graph.json": '{"graphs": ' })), ["graph.json", "not valid JSON"]);
    await expectRefused(started(project({ "graph.json": "{}" })), ["graphs", "at least one"]);
    await expectRefused(started(project({ "graph.json": '{"graphs":{"a":7}}' })), ["graphs.a"]);
    await expectRefused(started(project({ "graph.json": '{"graphs":{"a":"./g.ts"}}' })), ["graphs.a"]);
  });

  test("a graph that cannot be loaded", async () => {
    await expectRefused(started(project({ "graph.json": '{"graphs":{"a":"./no.ts:graph"}}' })), [
      "no.ts",
      "does not exist",
    ]);
    await expectRefused(started(ofGraph("export const other = 1;")), ["g.ts", 'no export "graph"']);
    await expectRefused(started(ofGraph("export const graph = 1;")), ["g.ts", "not a graph"]);
    await expectRefused(started(ofGraph('throw new Error("no database"); export const graph = 1;')), [
      "g.ts",
      "no database",
    ]);
    await expectRefused(started(ofGraph("export const graph = (")), ["g.ts"]);
    await expectRefused(
      started(ofGraph('import x from "a-package-that-is-not-there"; export const graph = x;')),
      ["g.ts", "a-package-that-is-not-there", "installed"],
    );
  });

  test(
    "a port in use",
    async () => {
      const berth = await start();
      const { port } = new URL(berth.url);
      await expectRefused(
        ["start", "--project", FIXTURES, "--port", port, "--data", data()],
        [port, "in use", "--port"],
      );
      await berth.stop();
    },
    TEST_LIMIT_MS,
  );

  test("an address that is not of this machine, and any but loopback without a key", async () => {
    const onHost = (host: string) => [
      "start",
      "--project",
      FIXTURES,
      "--port",
      "0",
      "--data",
      data(),
      "--host",
      host,
    ];
    for (const host of ["0.0.0.0", "::", "192.0.2.7"]) {
      await expectRefused(onHost(host), [host, "SERVICE_API_KEY", "keys create"]);
    }
    await expectRefused(onHost("192.0.2.7"), ["192.0.2.7", "cannot listen"], {
      SERVICE_API_KEY: "a-service-key-of-this-test",
    });
  });

  testUnless(noFile)("a data folder that cannot be used", async () => {
    const file = join(folder, "a-file");
    writeFileSync(file, "text");
    const at = (path: string) => ["start", "--project", FIXTURES, "--port", "0", "--data", path];
    await expectRefused(at(file), [file, "not a folder"]);
    const garbage = data();
    writeFileSync(join(garbage, "berth.db"), "this is no database, whatever its name says".repeat(100));
    await expectRefused(at(garbage), ["berth.db", "not a database"]);
    // Whoever runs this as root may write anywhere.
    if (process.getuid?.() === 0) return;
    const closed = data();
    chmodSync(closed, 0o500);
    await expectRefused(at(closed), [closed, "may not write"]);
  });

  test(
    "a database that a newer Berth wrote",
    async () => {
      const path = data();
      const berth = await start({ data: path });
      await berth.stop();
      await query(
        path,
        "insert into berth_migrations (name, timestamp) values ('9999-of-the-future', '2030-01-01')",
      );
      const words = ["newer", "9999-of-the-future"];
      await expectRefused(["start", "--project", FIXTURES, "--port", "0", "--data", path], words);
      await expectRefused(["keys", "list", "--data", path], words);
    },
    TEST_LIMIT_MS,
  );

  test("options that it does not have, and values that they cannot have", async () => {
    await expectRefused(["start", "--prot", "1"], ["unknown option --prot"]);
    await expectRefused(["start", "here"], ['unexpected argument "here"']);
    await expectRefused(["start", "--port"], ["--port needs a value"]);
    for (const port of ["abc", "99999", "-1", "1.5"])
      await expectRefused(["start", `--port=${port}`], ["PORT", "65535"]);
    await expectRefused(["start"], ["LOG_LEVEL", "info"], { LOG_LEVEL: "loud" });
    await expectRefused(["start"], ["RUN_CONCURRENCY", "1 to"], { RUN_CONCURRENCY: "0" });
    for (const [url, word] of [
      ["mysql://user:hidden@host/db", "DATABASE_URL"],
      ["postgres://user:hidden@127.0.0.1:1/db", "cannot reach the database"],
    ] as const) {
      const env = { DATABASE_URL: url, SECRETS_KEY: "a key for these tests only" };
      const { stderr } = await berthCommand(["start"], { cwd: FIXTURES, env });
      expect(stderr).toContain(word);
      expect(stderr).not.toContain("hidden");
    }
  });
});

describe("keys", () => {
  test("are created, listed and deleted; the secret is shown once", async () => {
    const path = data();
    const created = await berthCommand(["keys", "create", "--data", path, "--name", "laptop"]);
    const [secret = "", line = ""] = created.stdout.split("\n");
    const id = line.split(" ")[1] ?? "";
    expect(line).toContain("laptop");
    const listed = await berthCommand(["keys", "list", "--data", path]);
    expect(listed.stdout).toContain(id);
    expect(listed.stdout).not.toContain(secret);
    expect((await berthCommand(["keys", "delete", id, "--data", path])).code).toBe(0);
    await expectRefused(["keys", "delete", id, "--data", path], ["Key not found"]);
    expect((await berthCommand(["keys", "list", "--data", path])).stdout).toContain("No keys");
  });

  test("are made for the organization, and for workspaces that there are", async () => {
    const path = data();
    const wide = ["--scope", "organization", "--name", "wide"];
    expect((await berthCommand(["keys", "create", "--data", path, ...wide])).code).toBe(0);
    const { stdout } = await berthCommand(["keys", "list", "--data", path, "--workspace", "default"]);
    expect(stdout).toContain("wide  organization  never used");
    await expectRefused(["keys", "list", "--data", path, "--workspace", "blue"], ["blue", "default"]);
    await expectRefused(["keys", "create", "--data", path, "--scope", "world"], ["--scope", "world"]);
  });

  testUnless(noFile)("of a folder without a database are refused: the name is misspelt", async () => {
    const path = join(folder, "misspelt");
    await expectRefused(["keys", "list", "--data", path], [path, "--data"]);
    await expectRefused(["keys", "delete", "id", "--data", path], [path, "--data"]);
  });

  test(
    "let a server listen on every address",
    async () => {
      const path = data();
      await berthCommand(["keys", "create", "--data", path]);
      const berth = await start({ data: path, env: { HOST: "0.0.0.0" } });
      expect((await fetch(`${berth.url}/ok`)).status).toBe(200);
      expect((await fetch(`${berth.url}/info`)).status).toBe(401);
      await berth.stop();
    },
    TEST_LIMIT_MS,
  );
});

describe("Ctrl-C", () => {
  const startRun = async (url: string, delay: number) => {
    const { status } = await fetch(`${url}/runs`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ assistant_id: "delay", input: { messages: [], delay } }),
    });
    expect(status).toBe(200);
  };

  test(
    "once ends it gracefully, with exit code 0",
    async () => {
      const idle = await start({ data: data() });
      process.kill(idle.pid, "SIGINT");
      expect(await idle.ended).toBe(0);
      expect(idle.output()).not.toContain("Waiting");

      const busy = await start({ data: data() });
      await startRun(busy.url, 500);
      process.kill(busy.pid, "SIGINT");
      expect(await busy.ended).toBe(0);
      expect(busy.output()).toContain("Waiting for 1 run to end; once more stops at once.");
      const runs = await query<{ status: string }>(busy.data, "select status from runs");
      expect(runs).toEqual([{ status: "success" }]);
    },
    TEST_LIMIT_MS,
  );

  test(
    "that arrives twice in the same moment is one",
    async () => {
      const berth = await start({ data: data() });
      await startRun(berth.url, 1_500);
      // Two of one kind in the same moment would be one already for the system.
      for (const signal of ["SIGINT", "SIGTERM"]) process.kill(berth.pid, signal);
      expect(await berth.ended).toBe(0);
      expect(await query<{ status: string }>(berth.data, "select status from runs")).toEqual([
        { status: "success" },
      ]);
    },
    TEST_LIMIT_MS,
  );

  test(
    "in a terminal comes to everybody there, twice to what others start, and is one all the same",
    async () => {
      // As `bun run start`: the runner gets the signal of the terminal, and passes it on to what got it, too.
      const port = freePort();
      const child = spawn(
        process.execPath,
        ["run", "start", "--project", FIXTURES, "--port", String(port), "--data", data()],
        {
          cwd: ROOT,
          detached: true,
          env: { ...process.env, LOG_FORMAT: "json", LOG_LEVEL: "warning" },
          stdio: ["ignore", "pipe", "pipe"],
        },
      );
      let printed = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (text) => {
          printed += String(text);
        });
      const ended = once(child, "close");
      const { pid } = child;
      if (pid === undefined) throw new Error("It did not start");
      await until("it to be ready", async () => printed.includes("Berth is ready"));
      const answer = await fetch(`http://127.0.0.1:${port}/runs/stream`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          ...{ assistant_id: "delay", input: { messages: [], delay: 1_500 } },
          stream_mode: ["updates"],
        }),
      });
      const stream = answer.text();
      process.kill(-pid, "SIGINT");
      process.kill(pid, "SIGINT");
      expect(await stream).toContain("event: updates");
      const [code] = await ended;
      expect({ code, printed }).toMatchObject({ code: 0 });
    },
    TEST_LIMIT_MS,
  );

  test(
    "twice ends it at once",
    async () => {
      const berth = await start({ data: data() });
      await startRun(berth.url, 60_000);
      process.kill(berth.pid, "SIGINT");
      await until("what it waits for", async () => berth.output().includes("Waiting for 1 run"));
      // Whoever starts it may pass on what it got itself: what comes within a second is the same press.
      const again = setInterval(() => {
        try {
          process.kill(berth.pid, "SIGINT");
        } catch {
          // It has ended.
          clearInterval(again);
        }
      }, 100);
      const since = performance.now();
      expect(await berth.ended.finally(() => clearInterval(again))).toBe(130);
      expect(performance.now() - since).toBeLessThan(AT_ONCE_MS);
    },
    TEST_LIMIT_MS,
  );
});
