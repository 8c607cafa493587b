import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { freePort } from "../free-port.ts";
import { type BerthProcess, start } from "./berth-process.ts";
import { until } from "./condition.ts";

const KEY = "the-service-key-of-this-test";

type Sent = { headers?: Record<string, string>; method?: string; body?: string };

/** One that gives another address away than that where it listens. */
async function announced(publicUrl: string) {
  const port = freePort();
  const berth = await start({ port, env: { PUBLIC_URL: publicUrl } });
  return { berth, url: `http://127.0.0.1:${port}` };
}

async function asked(berth: Pick<BerthProcess, "url">, path: string, init: Sent = {}) {
  const response = await fetch(`${berth.url}${path}`, init);
  return { status: response.status, text: await response.text(), headers: response.headers };
}

describe("without keys, whoever comes through a proxy is a stranger", () => {
  test("a request that a proxy passed on is refused, and told what to set", async () => {
    const berth = await start();
    try {
      for (const name of ["Forwarded", "X-Forwarded-For", "X-Forwarded-Proto", "X-Real-IP", "Via"]) {
        const { status, text } = await asked(berth, "/threads/search", {
          method: "POST",
          body: "{}",
          headers: { [name]: "203.0.113.7" },
        });
        expect([name, status]).toEqual([name, 403]);
        expect(text).toContain("SERVICE_API_KEY");
        expect(text).toContain(name.toLowerCase());
      }
      expect((await asked(berth, "/ok", { headers: { "X-Forwarded-For": "203.0.113.7" } })).status).toBe(200);
      expect((await asked(berth, "/info")).status).toBe(200);
    } finally {
      await berth.stop();
    }
  });

  test("whatever comes while PUBLIC_URL says that others reach it is refused", async () => {
    const { berth, url } = await announced("http://berth.example");
    try {
      const { status, text } = await asked({ url }, "/info");
      expect(status).toBe(403);
      expect(text).toContain("PUBLIC_URL is http://berth.example");
      expect(text).toContain("berth keys create");
      expect((await asked({ url }, "/ok")).status).toBe(200);
    } finally {
      await berth.stop();
    }
  });

  test("PUBLIC_URL of this machine changes nothing", async () => {
    const { berth, url } = await announced("http://localhost:9000/agents");
    try {
      expect((await asked({ url }, "/info")).status).toBe(200);
    } finally {
      await berth.stop();
    }
  });
});

describe("behind a proxy that is trusted", () => {
  let berth: BerthProcess;
  beforeAll(async () => {
    berth = await start({
      env: { SERVICE_API_KEY: KEY, TRUSTED_PROXIES: "127.0.0.0/8, ::1", LOG_LEVEL: "info" },
    });
  });
  afterAll(async () => {
    await berth.stop();
  });

  const info = async (client: string, key: string) =>
    (await asked(berth, "/info", { headers: { "x-api-key": key, "x-forwarded-for": client } })).status;
  const signIn = (client: string, key: string) =>
    asked(berth, "/sign-in", {
      method: "POST",
      headers: { "content-type": "application/json", "x-forwarded-for": client },
      body: JSON.stringify({ api_key: key }),
    });

  test("guesses are limited for each client, in headers as in sign-ins, and nobody else feels it", async () => {
    const attacker = "203.0.113.66";
    for (let at = 0; at < 5; at += 1) expect(await info(attacker, `guess ${at}`)).toBe(401);
    for (let at = 5; at < 10; at += 1) expect((await signIn(attacker, `guess ${at}`)).status).toBe(401);
    expect(await info(attacker, "guess 10")).toBe(429);
    // What it would be told of the right one is told of a wrong one, too.
    expect(await info(attacker, KEY)).toBe(429);
    const refused = await signIn(attacker, "guess 11");
    expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
    expect(refused.text).toContain("Too many wrong API keys");
    expect(await info("198.51.100.1", KEY)).toBe(200);
    expect((await signIn("198.51.100.2", KEY)).status).toBe(200);
    expect(await info(`${attacker}, 198.51.100.3`, KEY)).toBe(200);
  });

  test("addresses of one /64 count as one client", async () => {
    for (let at = 0; at < 10; at += 1) expect(await info(`2001:db8:7:7::${at}`, `guess ${at}`)).toBe(401);
    expect(await info("2001:db8:7:7:ffff::1", "guess 10")).toBe(429);
    expect(await info("2001:db8:7:8::1", "guess 10")).toBe(401);
  });

  test("a page of another origin does not use up what its visitor may send", async () => {
    const visitor = "203.0.113.44";
    const asked = async (key: string, headers: Record<string, string>) =>
      (
        await fetch(`${berth.url}/info`, {
          headers: { "x-api-key": key, "x-forwarded-for": visitor, ...headers },
        })
      ).status;
    const foreign = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    for (let at = 0; at < 10; at += 1) expect(await asked(`guess ${at}`, foreign)).toBe(401);
    expect(await asked("guess 10", foreign)).toBe(429);
    // Other pages count together, or one page would have any number of guesses.
    expect(await asked("guess 11", { origin: "https://other.example" })).toBe(429);
    expect(await info(visitor, KEY)).toBe(200);
    expect((await signIn("203.0.113.44", KEY)).status).toBe(200);
  });

  test("a key that is in use goes on where others at its address guess, and one that is wrong is no guess twice", async () => {
    const office = "203.0.113.5";
    expect(await info(office, KEY)).toBe(200);
    for (let at = 0; at < 30; at += 1) expect(await info(office, "deleted long ago")).toBe(401);
    for (let at = 0; at < 9; at += 1) expect(await info(office, `guess ${at}`)).toBe(401);
    expect(await info(office, "guess 9")).toBe(429);
    expect(await info(office, KEY)).toBe(200);
  });

  test("each line of the log says whose request it was, and by which key", async () => {
    const made = await asked(berth, "/v1/keys", {
      method: "POST",
      headers: { "x-api-key": KEY, "content-type": "application/json" },
      body: JSON.stringify({ name: "the build server" }),
    });
    expect(made.status).toBe(201);
    const { id, secret }: { id: string; secret: string } = JSON.parse(made.text);
    expect(await info("198.51.100.77", secret)).toBe(200);
    await until("the line", async () =>
      berth
        .output()
        .split("\n")
        .some(
          (line) =>
            line.includes('"client":"198.51.100.77"') &&
            line.includes(`"key":"${id}"`) &&
            line.includes('"key_name":"the build server"'),
        ),
    );
  });
});

describe("where something is deployed, a process on this machine can be a deployed one", () => {
  const SECRET = "a-secret-that-only-the-proxy-has";
  const deploy = async (berth: BerthProcess) => {
    const response = await fetch(`${berth.url}/v2/deployments`, {
      method: "POST",
      headers: { "x-api-key": KEY, "content-type": "application/json" },
      body: JSON.stringify({
        name: "neighbour",
        source: "internal_source",
        source_config: {},
        source_revision_config: { langgraph_config_path: "graph.json" },
        secrets: [],
      }),
    });
    expect(response.status).toBe(201);
  };
  /** Whose request it was, by the log. */
  async function clientOf(berth: BerthProcess, headers: Record<string, string>): Promise<string> {
    const id = crypto.randomUUID();
    const sent = { "x-api-key": KEY, "x-request-id": id, "x-forwarded-for": "198.51.100.9", ...headers };
    await fetch(`${berth.url}/info`, { headers: sent });
    const line = () =>
      berth
        .output()
        .split("\n")
        .find((text) => text.includes(id));
    await until("the line", async () => line() !== undefined);
    return (JSON.parse(line() ?? "") as { client: string }).client;
  }
  const settings = { SERVICE_API_KEY: KEY, TRUSTED_PROXIES: "127.0.0.1", LOG_LEVEL: "info" };

  test("without a secret, its word is taken until then, and a line of the log says what to set", async () => {
    const berth = await start({ env: settings });
    try {
      expect(await clientOf(berth, {})).toBe("198.51.100.9");
      await deploy(berth);
      await until(
        "the address to count for nothing",
        async () => (await clientOf(berth, {})) === "127.0.0.1",
      );
      expect(berth.output().match(/set PROXY_SECRET/g)).toHaveLength(1);
    } finally {
      await berth.stop();
    }
  });

  test("with a secret, the word of whoever sends it is taken, and of nobody else", async () => {
    const berth = await start({ env: { ...settings, PROXY_SECRET: SECRET } });
    try {
      await deploy(berth);
      expect(await clientOf(berth, { "x-berth-proxy-secret": SECRET })).toBe("198.51.100.9");
      expect(await clientOf(berth, { "x-berth-proxy-secret": "wrong" })).toBe("127.0.0.1");
      expect(await clientOf(berth, {})).toBe("127.0.0.1");
    } finally {
      await berth.stop();
    }
  });
});
