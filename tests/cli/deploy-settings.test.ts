import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectionFrom, NAMES, setting } from "../../server/cli/deploy/connection.ts";
import { elapsed, table } from "../../server/cli/deploy/output.ts";
import { normalName, readEnvironment } from "../../server/cli/deploy/project.ts";
import { secretsOf } from "../../server/cli/deploy/secrets.ts";

const scratch = mkdtempSync(join(tmpdir(), "berth-settings-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test("a name is made of lower-case letters, digits and hyphens", () => {
  const names = { "My Agent": "my-agent", "--a__b--": "a-b", "Ünïcode!": "n-code", "": "app", "!!!": "app" };
  for (const [given, name] of Object.entries(names)) expect(normalName(given)).toBe(name);
});

describe("where and with which key", () => {
  const environment = {
    SERVICE_API_KEY: "env",
    LANGSMITH_API_KEY: "public",
    LANGGRAPH_HOST_URL: "http://public",
  };
  const file = {
    SERVICE_API_KEY: "file",
    SERVICE_ENDPOINT: "http://localhost:1/api-host/",
    SERVICE_TENANT_ID: "t",
  };

  test("a flag beats the environment, which beats .env; our names beat those of other tools", () => {
    expect(connectionFrom({ "api-key": "flag" }, [environment, file])).toEqual({
      baseUrl: "http://localhost:1/api-host",
      apiKey: "flag",
      keyFrom: undefined,
      tenantId: "t",
    });
    expect(connectionFrom({}, [environment, file]).apiKey).toBe("env");
    expect(connectionFrom({}, [{ SERVICE_API_KEY: " " }, file]).apiKey).toBe("file");
    expect(connectionFrom({}, [{ LANGGRAPH_HOST_URL: "http://public" }]).baseUrl).toBe("http://public");
    expect(connectionFrom({}, []).baseUrl).toBe("http://127.0.0.1:8123");
  });

  test("without an address it is this machine, at the port that berth start reads there", () => {
    expect(connectionFrom({}, [{}, { PORT: "9000" }]).baseUrl).toBe("http://127.0.0.1:9000");
    expect(connectionFrom({}, [{ PORT: "9001" }, { PORT: "9000" }]).baseUrl).toBe("http://127.0.0.1:9001");
    expect(connectionFrom({}, [{ PORT: "9000" }, file]).baseUrl).toBe("http://localhost:1/api-host");
    expect(connectionFrom({ "host-url": "http://x" }, [{ PORT: "no" }]).baseUrl).toBe("http://x");
    for (const PORT of ["no", "0", "65536", "80@evil.example"])
      expect(() => connectionFrom({}, [{ PORT }])).toThrow("PORT must be");
  });

  test("a project's file does not have the key of its user sent to another machine", () => {
    const theirs = { SERVICE_ENDPOINT: "https://theirs.example" };
    expect(() => connectionFrom({}, [environment, theirs])).toThrow("https://theirs.example");
    expect(() => connectionFrom({ "api-key": "flag" }, [{}, {}, theirs])).toThrow("--host-url");
    expect(connectionFrom({ "host-url": "https://theirs.example" }, [environment, theirs]).apiKey).toBe(
      "env",
    );
    expect(connectionFrom({}, [{}, { ...theirs, SERVICE_API_KEY: "file" }]).apiKey).toBe("file");
    expect(connectionFrom({}, [{}, theirs]).apiKey).toBeUndefined();
  });

  test("where traces go is not where deployments go", () => {
    expect(setting(NAMES.endpoint, [{ LANGSMITH_ENDPOINT: "https://traces.example" }])).toBeUndefined();
  });
});

describe("secrets", () => {
  test("are the values of the environment, without the platform's names, empty ones and our own settings", () => {
    const given = {
      OPENAI_API_KEY: "sk",
      EMPTY: "",
      PORT: "1",
      BUN_OPTIONS: "--smol",
      DATABASE_URI: "x",
      BERTH_EDITION: "cloud",
      SERVICE_API_KEY: "k",
      BERTH_SERVICE_API_KEY: "k",
      DATABASE_URL: "sqlite:///app.db",
      BERTH_LOG_LEVEL: "debug",
      SERVICE_DEPLOYMENT_NAME: "n",
      LANGGRAPH_HOST_URL: "u",
    };
    expect(secretsOf(given)).toEqual({
      secrets: [
        { name: "OPENAI_API_KEY", value: "sk" },
        { name: "DATABASE_URL", value: "sqlite:///app.db" },
        { name: "BERTH_LOG_LEVEL", value: "debug" },
      ],
      skipped: ["PORT", "BUN_OPTIONS", "DATABASE_URI", "BERTH_EDITION"],
    });
    expect(secretsOf(given, true).skipped).toContain("DATABASE_URL");
  });

  const at = (env: unknown, environment = {}) =>
    readEnvironment(
      { file: join(scratch, "in", "graph.json"), dir: join(scratch, "in"), config: { env } },
      environment,
    );

  test("come from the configuration, from the file that it names, or from .env beside it", async () => {
    mkdirSync(join(scratch, "in"));
    const nothing = { warning: null, note: null };
    expect(await at({ A: 1, B: true })).toEqual({ values: { A: "1", B: "true" }, file: null, ...nothing });
    expect(await at(undefined)).toEqual({ values: undefined, file: join(scratch, "in", ".env"), ...nothing });
    writeFileSync(join(scratch, "in", ".env"), 'A="x y"\nexport B=2\n# C=3\n');
    expect((await at({})).values).toEqual({ A: "x y", B: "2" });
    expect((await at("./.env")).values).toEqual({ A: "x y", B: "2" });
  });

  test("come from a file of settings above the project, which is named, and from no other file outside", async () => {
    writeFileSync(join(scratch, ".env"), "ABOVE=1\n");
    const file = join(scratch, ".env");
    const note = expect.stringContaining(file);
    expect(await at("../.env")).toEqual({ values: { ABOVE: "1" }, file, warning: null, note });
    for (const outside of ["../credentials", "/etc/passwd", "../.envrc"])
      expect(at(outside)).rejects.toThrow("outside the project");
  });

  test("stay as they are where the file is missing, and the sample to copy is named", async () => {
    expect(await at("missing.env")).toMatchObject({
      values: undefined,
      warning: "graph.json: env: missing.env does not exist. The deployment keeps the secrets that it has",
    });
    writeFileSync(join(scratch, ".env.example"), "");
    expect((await at("../.env.local")).warning).toContain("copy ../.env.example to it?");
  });

  test("are those of the caller's environment that are listed by name", async () => {
    const environment = { OPENAI_API_KEY: "sk", OTHER: "not this" };
    expect(await at(["OPENAI_API_KEY", "UNSET"], environment)).toEqual({
      values: { OPENAI_API_KEY: "sk" },
      file: null,
      note: "Taken from the environment: OPENAI_API_KEY",
      warning: "graph.json: env: the environment has no UNSET",
    });
    expect((await at(["UNSET"], environment)).values).toBeUndefined();
  });
});

test("times and tables read as they should", () => {
  expect([4_999, 65_000, 3_600_000].map(elapsed)).toEqual(["4s", "1m 05s", "60m 00s"]);
  expect(table(["ID", "Name"], [["1", "long name"]])).toBe("ID  Name\n--  ---------\n1   long name\n");
});
