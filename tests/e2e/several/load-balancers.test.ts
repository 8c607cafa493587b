import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fencesOf } from "../../docs/fences.ts";
import { freePort } from "../../free-port.ts";
import { because, describeUnless } from "../../skips.ts";
import { ROOT } from "../../smoke/program.ts";
import type { BerthProcess } from "../berth-process.ts";
import { until } from "../condition.ts";
import { Berths } from "./berths.ts";

// The configurations of docs/load-balancer.md and docs/examples/Caddyfile, with the ports of this test in them.

const KEY = "the-service-key-of-this-test";
const REQUESTS = 100;
/** Requests without a failure after which a load balancer has noticed that a Berth is down. */
const NOTICED = 20;
const headers = { "x-api-key": KEY, "content-type": "application/json" };
const folder = mkdtempSync(join(tmpdir(), "berth-balancers-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const snippet = (language: string) =>
  fencesOf("docs/load-balancer.md").find((fence) => fence.language === language)?.text ?? "";

type Balancer = { name: string; program: string; command(port: number, berths: string[]): string[] };

const BALANCERS: Balancer[] = [
  { name: "nginx", program: "nginx", command: nginxCommand },
  {
    name: "Caddy",
    program: "caddy",
    command: (port, berths) => caddyCommand(snippet("caddy"), port, berths),
  },
  {
    name: "Caddy as in compose.postgres.yaml",
    program: "caddy",
    command: (port, berths) =>
      caddyCommand(readFileSync(join(ROOT, "docs/examples/Caddyfile"), "utf8"), port, berths),
  },
];

function nginxCommand(port: number, [first = "", second = ""]: string[]): string[] {
  const site = snippet("nginx")
    .replace("listen 443 ssl http2", `listen 127.0.0.1:${port}`)
    .replaceAll(/ssl_certificate\w* \S+;/g, "")
    .replace("berth-1.example.com:8123", first)
    .replace("berth-2.example.com:8123", second);
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name}-${port};`)
    .join("\n");
  const user = process.getuid?.() === 0 ? "user root;" : "";
  const head = `${user}\ndaemon off;\npid ${folder}/pid-${port};\nerror_log stderr;\nevents {}\n`;
  const file = join(folder, `nginx-${port}.conf`);
  writeFileSync(file, `${head}http {\naccess_log off;\n${paths}\n${site}\n}\n`);
  return ["nginx", "-p", folder, "-e", "stderr", "-c", file];
}

function caddyCommand(text: string, port: number, [first = "", second = ""]: string[]): string[] {
  const site = text
    .replace(/^(berth\.example\.com|:8123) \{/m, `http://127.0.0.1:${port} {`)
    .replace(/berth-1\S*:8123/, first)
    .replace(/berth-2\S*:8123/, second);
  const file = join(folder, `Caddyfile-${port}`);
  writeFileSync(file, `{\n  admin off\n}\n${site}`);
  return ["caddy", "run", "--adapter", "caddyfile", "--config", file];
}

for (const { name, program, command } of BALANCERS)
  describeUnless(because(!Bun.which(program), `${program} is not installed`))(name, () => {
    const port = freePort();
    const url = `http://127.0.0.1:${port}`;
    let berths: Berths;
    let all: BerthProcess[];
    let proxy: Bun.Subprocess;

    beforeAll(async () => {
      berths = await Berths.on();
      all = [];
      for (let at = 0; at < 2; at += 1) all.push(await berths.start({ env: { SERVICE_API_KEY: KEY } }));
      const hosts = all.map((berth) => new URL(berth.url).host);
      const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
      proxy = Bun.spawn(command(port, hosts), { env, stdio: ["ignore", "ignore", "ignore"] });
      await until("the load balancer to pass a request on", () =>
        fetch(`${url}/ok`).then(
          ({ status }) => status === 200,
          () => false,
        ),
      );
    });
    afterAll(async () => {
      proxy?.kill();
      await proxy?.exited;
      await berths?.stop();
    });

    test("spreads requests over both", async () => {
      await statuses(url);
      for (const berth of all) {
        const text = await (await fetch(`${berth.url}/metrics`, { headers })).text();
        expect(text).toMatch(/berth_http_requests_total\{[^}]*method="POST"[^}]*\} [1-9]/);
      }
    });

    test("no request fails while one of them is down", async () => {
      const [first] = all;
      if (first) process.kill(first.pid, "SIGKILL");
      await first?.ended;
      // A POST that meets the dead Berth in its first second may fail: Caddy 2.6 repeats GETs only.
      await until("the load balancer to leave it out", async () =>
        (await statuses(url, NOTICED)).every((status) => status === 200),
      );
      const failed = (await statuses(url)).filter((status) => status !== 200);
      expect(failed).toEqual([]);
    });
  });

/** The statuses of that many requests, runs and readings in turn, four at a time. */
async function statuses(url: string, count = REQUESTS): Promise<(number | string)[]> {
  const run = JSON.stringify({ assistant_id: "delay", input: { messages: [], delay: 1 } });
  const send = (at: number) =>
    at % 2 === 0
      ? fetch(`${url}/runs/wait`, { method: "POST", headers, body: run })
      : fetch(`${url}/info`, { headers });
  const found: (number | string)[] = [];
  let next = 0;
  const client = async () => {
    for (let at = next++; at < count; at = next++) {
      try {
        const answer = await send(at);
        await answer.arrayBuffer();
        found.push(answer.status);
      } catch (error) {
        found.push(String(error));
      }
    }
  };
  await Promise.all([client(), client(), client(), client()]);
  return found;
}
