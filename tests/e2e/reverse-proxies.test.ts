import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fencesOf } from "../docs/fences.ts";
import { freePort } from "../free-port.ts";
import { TEST_LIMIT_MS } from "../limits.ts";
import { because, describeUnless } from "../skips.ts";
import { run } from "../smoke/program.ts";
import { type BerthProcess, start } from "./berth-process.ts";
import { berthCommand } from "./command.ts";
import { until } from "./condition.ts";

// The snippets of docs/reverse-proxy.md, with the names, ports and certificates of this test in them.

const KEY = "the-service-key-of-this-test";
const CLIENT = "203.0.113.9";
/** As the page has it. */
const PROXY_SECRET = "choose-a-secret";
const folder = mkdtempSync(join(tmpdir(), "berth-proxies-"));
const certificate = join(folder, "certificate.pem");
const certificateKey = join(folder, "key.pem");
/** A certificate that nobody signed is good for this test. */
const tls = { rejectUnauthorized: false };

const snippets = (language: string) =>
  fencesOf("docs/reverse-proxy.md").flatMap((fence) => (fence.language === language ? [fence.text] : []));

type Proxy = { url: string; said(): string; stop(): Promise<unknown> };

/** Starts a proxy, and waits until it listens. */
async function served(command: string[], port: number, env: Record<string, string> = {}): Promise<Proxy> {
  const child = Bun.spawn(command, {
    cwd: folder,
    env: { ...process.env, ...env },
    stderr: "pipe",
    stdout: "ignore",
  });
  let said = "";
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const bytes of child.stderr) said += decoder.decode(bytes, { stream: true });
  })();
  const stop = async () => {
    child.kill();
    await child.exited;
    await reading;
  };
  const url = `https://localhost:${port}`;
  const isUp = () =>
    fetch(`${url}/ok`, { tls }).then(
      () => true,
      () => false,
    );
  await until("the proxy to listen", async () => {
    if (child.exitCode !== null) throw new Error(`it ended: ${said}`);
    return isUp();
  });
  return { url, said: () => said, stop };
}

/** `change` makes another configuration of that of the page. */
type Serve = (port: number, to: string, change?: (text: string) => string) => Promise<Proxy>;

const nginx: Serve = (port, to, change = (text) => text) => {
  const [site = ""] = snippets("nginx");
  const text = change(site)
    .replace("listen 443", `listen 127.0.0.1:${port}`)
    .replace(/ssl_certificate \S+;/, `ssl_certificate ${certificate};`)
    .replace(/ssl_certificate_key \S+;/, `ssl_certificate_key ${certificateKey};`)
    .replace("server_name berth.example.com", "server_name localhost")
    .replace("http://127.0.0.1:8123", to);
  const own = join(folder, `nginx-${port}`);
  mkdirSync(own);
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const places = paths.map((name) => `${name}_temp_path ${own}/${name};`).join("\n");
  // As on a machine where nothing else is set.
  const user = process.getuid?.() === 0 ? "user root;" : "";
  const head = `${user}\ndaemon off;\npid ${own}/pid;\nerror_log stderr;\nevents {}\n`;
  writeFileSync(join(own, "nginx.conf"), `${head}http {\naccess_log off;\ngzip on;\n${places}\n${text}\n}\n`);
  return served(["nginx", "-p", own, "-e", "stderr", "-c", join(own, "nginx.conf")], port);
};

const caddy: Serve = (port, to, change = (text) => text) => {
  const [whole = "", below = ""] = snippets("caddy");
  const site = change(whole) === whole ? whole : below;
  const text = site
    .replace(
      /^(?:berth\.)?example\.com \{/,
      `https://localhost:${port} {\n  tls ${certificate} ${certificateKey}`,
    )
    .replace("127.0.0.1:8123", new URL(to).host);
  const own = join(folder, `caddy-${port}`);
  mkdirSync(own);
  writeFileSync(join(own, "Caddyfile"), `{\n  admin off\n  auto_https disable_redirects\n}\n${text}`);
  const env = { HOME: own, XDG_DATA_HOME: own, XDG_CONFIG_HOME: own };
  return served(["caddy", "run", "--adapter", "caddyfile", "--config", join(own, "Caddyfile")], port, env);
};

beforeAll(async () => {
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const files = ["-keyout", certificateKey, "-out", certificate];
  const { code, err } = await run(
    ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", ...names, ...files],
    folder,
  );
  expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const headers = { "x-api-key": KEY, "content-type": "application/json" };

/** A run that says a word, and much later another one: when each has come. */
async function arrivals(url: string): Promise<{ first: number; last: number }> {
  const body = { assistant_id: "delay", input: { messages: [], delay: 1_500 }, stream_mode: ["updates"] };
  const begun = performance.now();
  const answer = await fetch(`${url}/runs/stream`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
    tls,
  });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([
    200,
    expect.stringContaining("text/event-stream"),
  ]);
  let first: number | undefined;
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of answer.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    first ??= performance.now() - begun;
  }
  expect(text).toContain("event: updates");
  return { first: first ?? 0, last: performance.now() - begun };
}

/** Opens a WebSocket of the thread protocol; gives its first answer to what is no command. */
async function socketAnswer(url: string): Promise<string> {
  const at = `${url.replace(/^http/, "ws")}/threads/${crypto.randomUUID()}/stream/events`;
  const options = { headers: { "x-api-key": KEY }, tls } as unknown as string[];
  const socket = new WebSocket(at, options);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  socket.onopen = () => socket.send("no command");
  socket.onmessage = ({ data }) => resolve(String(data));
  socket.onerror = () => reject(new Error("the socket failed"));
  try {
    return await promise;
  } finally {
    socket.close();
  }
}

/** A project whose archive is larger than what nginx takes by itself. */
function largeProject(): string {
  const path = join(folder, "large");
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, "graph.json"), JSON.stringify({ graphs: { agent: "./agent.ts:graph" } }));
  writeFileSync(join(path, "agent.ts"), "export const graph = 1;\n");
  writeFileSync(join(path, "data.bin"), crypto.getRandomValues(new Uint8Array(65_536)));
  for (let part = 0; part < 48; part += 1)
    writeFileSync(join(path, `data-${part}.bin`), crypto.getRandomValues(new Uint8Array(65_536)));
  return path;
}

const noCurl = because(!Bun.which("curl") || !Bun.which("openssl"), "curl or openssl is not installed");

for (const [name, serve] of Object.entries({ nginx, caddy }))
  describeUnless(noCurl ?? because(!Bun.which(name), `${name} is not installed`))(name, () => {
    const port = freePort();
    const inner = freePort();
    let berth: BerthProcess;
    let proxy: Proxy;
    beforeAll(async () => {
      berth = await start({
        env: {
          ...{ SERVICE_API_KEY: KEY, PUBLIC_URL: `https://localhost:${port}`, PROXY_SECRET },
          LOG_LEVEL: "info",
        },
        port: inner,
      });
    });
    beforeAll(async () => {
      proxy = await serve(port, `http://127.0.0.1:${inner}`);
    });
    afterAll(async () => {
      await proxy?.stop();
      await berth?.stop();
    });

    test("speaks TLS and HTTP/2, and says whose request it was", async () => {
      const ask = ["curl", "-sk", "--http2", "-o", "/dev/null", "-w", "%{http_version} %{http_code}"];
      const { out } = await run([...ask, "-H", `X-Api-Key: ${KEY}`, `${proxy.url}/info`], folder);
      expect(out).toBe("2 200");
      // What a client says of itself is not believed: the proxy is the last that adds something.
      const from = ["--interface", "127.0.0.2", "--resolve", `localhost:${port}:127.0.0.1`];
      const forged = ["-H", `X-Forwarded-For: ${CLIENT}`, "-H", `X-Request-Id: forged-${name}`];
      await run([...ask, ...from, ...forged, "-H", `X-Api-Key: ${KEY}`, `${proxy.url}/info`], folder);
      const line = () =>
        berth
          .output()
          .split("\n")
          .find((text) => text.includes(`forged-${name}`));
      await until("the line of the request", async () => line() !== undefined);
      expect(JSON.parse(line() ?? "")).toMatchObject({ client: "127.0.0.2" });
    });

    test("passes events on as they come, and WebSockets", async () => {
      const { first, last } = await arrivals(proxy.url);
      expect(last - first).toBeGreaterThan(1_000);
      expect(JSON.parse(await socketAnswer(proxy.url))).toMatchObject({ type: "error" });
    });

    test("takes an archive of more than a megabyte, and the sign-in of a page", async () => {
      const env = { SERVICE_ENDPOINT: proxy.url, SERVICE_API_KEY: KEY, NODE_TLS_REJECT_UNAUTHORIZED: "0" };
      const sent = await berthCommand(["deploy", "--no-wait", "--name", "large"], {
        cwd: largeProject(),
        env,
      });
      expect({ code: sent.code, stderr: sent.stderr.replaceAll(/.*NODE_TLS.*\n/g, "") }).toMatchObject({
        code: 0,
      });
      const signed = await fetch(`${proxy.url}/sign-in`, {
        method: "POST",
        headers: { "content-type": "application/json", origin: proxy.url },
        body: JSON.stringify({ api_key: KEY }),
        tls,
      });
      expect([signed.status, signed.headers.get("set-cookie")]).toEqual([
        200,
        expect.stringContaining("Secure"),
      ]);
    });

    test(
      "serves it below a path",
      async () => {
        const own = freePort();
        const inner = freePort();
        const below = await start({
          env: { SERVICE_API_KEY: KEY, PUBLIC_URL: `https://localhost:${own}/berth`, MOUNT_PREFIX: "/berth" },
          port: inner,
        });
        const change = (text: string) =>
          text.replace("location / {", "location /berth/ {").replace(/^berth\./, "");
        const front = await serve(own, `http://127.0.0.1:${inner}`, change);
        try {
          const at = `${front.url}/berth`;
          expect((await fetch(`${at}/info`, { headers, tls })).status).toBe(200);
          const page = await fetch(`${at}/docs`, { headers: { accept: "text/html" }, tls });
          expect([page.status, page.url]).toEqual([200, `${at}/sign-in?next=docs`]);
          const { first, last } = await arrivals(at);
          expect(last - first).toBeGreaterThan(1_000);
        } finally {
          await front.stop();
          await below.stop();
        }
      },
      TEST_LIMIT_MS,
    );
  });

describeUnless(noCurl ?? because(!Bun.which("nginx"), "nginx is not installed"))(
  "nginx without its limit",
  () => {
    test("is named by berth deploy as what refuses an archive", async () => {
      const port = freePort();
      const inner = freePort();
      const berth = await start({
        env: { SERVICE_API_KEY: KEY, PUBLIC_URL: `https://localhost:${port}` },
        port: inner,
      });
      const small = (text: string) => text.replace(/client_max_body_size \S+;/, "");
      const proxy = await nginx(port, `http://127.0.0.1:${inner}`, small);
      try {
        const env = { SERVICE_ENDPOINT: proxy.url, SERVICE_API_KEY: KEY, NODE_TLS_REJECT_UNAUTHORIZED: "0" };
        const { code, stderr } = await berthCommand(["deploy", "--name", "large"], {
          cwd: largeProject(),
          env,
        });
        expect(code).toBe(1);
        expect(stderr).toContain("413: a proxy in front of Berth takes no request of this size");
        expect(stderr).toContain("client_max_body_size");
        expect(stderr).not.toContain("<html>");
      } finally {
        await proxy.stop();
        await berth.stop();
      }
    });
  },
);
