import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { because, notRoot, testUnless } from "../skips.ts";
import { ROOT, run } from "../smoke/program.ts";
import { type BerthProcess, start } from "./berth-process.ts";
import { berthCommand } from "./command.ts";
import { until } from "./condition.ts";
import { DeploymentApi } from "./deployment-api.ts";

const folder = mkdtempSync(join(tmpdir(), "berth-service-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const noSystemd = because(!Bun.which("systemd-analyze"), "systemd-analyze is not installed");
const noPython = because(!Bun.which("python3"), "python3 is not installed");
const noSetpriv = notRoot ?? because(!Bun.which("setpriv"), "setpriv is not installed");

async function printed(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await berthCommand(["service", "print", ...args]);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
}

describe("the unit", () => {
  const usual = ["--program", "/usr/local/bin/berth", "--systemd", "252"];

  test("of docs/examples is the one that is printed", async () => {
    const unit = await printed(...usual);
    expect(readFileSync(join(ROOT, "docs", "examples", "berth.service"), "utf8")).toBe(unit);
    for (const line of [
      "Type=notify",
      "UMask=0077",
      "OOMPolicy=continue",
      "KillSignal=SIGINT",
      "KillMode=mixed",
    ])
      expect(unit).toContain(`\n${line}\n`);
    const newer = await printed("--systemd", "257");
    expect(newer).toContain("KillMode=process\nDelegate=memory cpu\nDelegateSubgroup=berth\n");
  });

  testUnless(noSystemd)("is one that systemd takes, and rates below 4", async () => {
    for (const args of [[], ["--user", "daemon"], ["--data", "/srv/a folder/berth"]]) {
      const file = join(folder, "berth.service");
      writeFileSync(file, await printed("--systemd", "252", ...args));
      const verified = await run(["systemd-analyze", "verify", "--man=no", file], folder);
      expect({ args, ...verified }).toEqual({ args, code: 0, out: "", err: "" });
      const command = ["systemd-analyze", "security", "--offline=true", "--threshold=39", file];
      const { code, out } = await run(command, folder);
      expect({ args, code, rated: /Overall.*$/m.exec(out)?.[0] }).toMatchObject({ args, code: 0 });
    }
  });

  test("is installed with a file for settings that nobody else reads, and that stays", async () => {
    const settings = join(folder, "etc", "berth.env");
    const args = ["service", "install", "--to", join(folder, "units"), "--env-file", settings];
    const first = await berthCommand(args);
    expect([first.code, first.stderr]).toEqual([0, ""]);
    expect(first.stdout).toContain("systemctl enable --now berth");
    expect(statSync(settings).mode & 0o777).toBe(0o600);
    const unit = readFileSync(join(folder, "units", "berth.service"), "utf8");
    expect(unit).toContain(`EnvironmentFile=${settings}\n`);
    writeFileSync(settings, "SERVICE_API_KEY=kept\n");
    expect((await berthCommand(args)).stdout).toContain("stays as it is");
    expect(readFileSync(settings, "utf8")).toBe("SERVICE_API_KEY=kept\n");
    writeFileSync(join(folder, "a-file"), "");
    const refused = await berthCommand([
      ...args.slice(0, 3),
      join(folder, "a-file", "below"),
      ...args.slice(4),
    ]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("cannot write")]);
    for (const wrong of [
      ["--user", "a b"],
      ["--systemd", "new"],
    ])
      expect((await berthCommand(["service", "print", ...wrong])).code).toBe(1);
  });

  testUnless(noSetpriv)("leaves Berth the rights that it needs to keep deployments apart", async () => {
    const unit = await printed(...usual);
    const rights = /^CapabilityBoundingSet=(.*)$/m.exec(unit)?.[1]?.split(" ") ?? [];
    const names = rights.map((name) => `+${name.replace(/^CAP_/, "").toLowerCase()}`).join(",");
    const prefix = ["setpriv", "--no-new-privs", `--bounding-set=-all,${names}`, "--inh-caps=-all"];
    const key = "a-key-of-this-service";
    const berth = await start({ prefix, env: { SERVICE_API_KEY: key, LOG_LEVEL: "warning" } });
    try {
      const api = new DeploymentApi(() => berth.url, key);
      const { id, latest_revision_id } = await api.fromTemplate("apart");
      expect(await api.settled(id, latest_revision_id)).toMatchObject({ status: "DEPLOYED" });
      const report = await api.ask<{ findings: { check: string; message: string }[] }>(
        "GET",
        "/v1/system/doctor",
      );
      expect(report.findings.find(({ check }) => check === "isolation")?.message).toContain(
        "user of its own",
      );
      await api.ask("DELETE", `/v2/deployments/${id}`);
      expect(berth.output()).not.toMatch(/EPERM|EACCES|deployed agents run as/);
    } finally {
      expect(await berth.stop()).toBe(0);
    }
  });
});

/** Prints each datagram as a line of JSON; Bun has no sockets of this kind. */
const LISTEN = `import json, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1].replace("@", "\\0", 1))
print("listening", flush=True)
while True: print(json.dumps(s.recv(4096).decode()), flush=True)`;

describe("a service", () => {
  let berth: BerthProcess;
  const settings = join(folder, "berth.env");

  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(settings, "LOG_LEVEL=warning\nRATE_LIMIT_PER_MINUTE=5000\n");
    berth = await start({ args: ["--env-file", settings] });
  });
  afterAll(async () => {
    expect(await berth?.stop()).toBe(0);
  });

  const lines = (message: string) => berth.output().split(message).length - 1;
  const asked = async (mark: string) => {
    await fetch(`${berth.url}/info`, { headers: { "x-request-id": mark } });
  };

  test("reads its settings again when it is sent SIGHUP, and says what waits for the next start", async () => {
    await asked("before-the-change");
    writeFileSync(settings, "LOG_LEVEL=info\nRATE_LIMIT_PER_MINUTE=6000\n");
    process.kill(berth.pid, "SIGHUP");
    await until("the settings to be read", async () => lines("settings read again") === 1);
    expect(berth.output()).toContain('"changed":["LOG_LEVEL"],"at_next_start":["RATE_LIMIT_PER_MINUTE"]');
    await asked("after-the-change");
    await until("a line of the request", async () => lines("after-the-change") === 1);
    expect(lines("before-the-change")).toBe(0);
    writeFileSync(settings, "LOG_LEVEL=loud\n");
    process.kill(berth.pid, "SIGHUP");
    await until("the mistake to be told", async () => lines("stay as they are") === 1);
    expect(berth.output()).toContain("LOG_LEVEL must be one of");
    await asked("still-as-before");
    await until("a line of the request", async () => lines("still-as-before") === 1);
  });

  test("is not ended by what log rotators send", async () => {
    for (const signal of ["SIGUSR1", "SIGUSR2"] as const) {
      process.kill(berth.pid, signal);
      await until(`${signal} to be told`, async () => lines(`"signal":"${signal}"`) === 1);
    }
    expect((await fetch(`${berth.url}/ok`)).status).toBe(200);
  });

  for (const [kind, path] of [
    ["a path", join(folder, "notify")],
    ["an abstract name", `@berth-test-${process.pid}`],
  ] as const)
    testUnless(noPython)(`tells systemd, at ${kind}, when it is ready and when it stops`, async () => {
      const listener = Bun.spawn(["python3", "-c", LISTEN, path], { stdout: "pipe", stderr: "inherit" });
      let heard = "";
      const reading = (async () => {
        const decoder = new TextDecoder();
        for await (const bytes of listener.stdout) heard += decoder.decode(bytes, { stream: true });
      })();
      try {
        await until("somebody to listen", async () => heard.startsWith("listening"));
        const own = await start({ env: { NOTIFY_SOCKET: path, BG_JOB_SHUTDOWN_GRACE_PERIOD_SECS: "7" } });
        await until("it to be ready", async () => heard.includes("READY=1"));
        expect(heard).toContain(JSON.stringify(`READY=1\nSTATUS=Serves at ${own.url}`));
        expect(await own.stop()).toBe(0);
        await until("it to stop", async () => heard.includes("STOPPING=1"));
        expect(heard).toContain(JSON.stringify("STOPPING=1\nEXTEND_TIMEOUT_USEC=27000000"));
        expect(own.output()).not.toContain("could not be told");
      } finally {
        listener.kill();
        await reading;
      }
    });
});
