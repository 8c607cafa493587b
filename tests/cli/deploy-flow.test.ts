import { describe, expect, test } from "bun:test";
import { Rig } from "./rig.ts";

const UUID = /[0-9a-f]{8}-[0-9a-f-]{27}/g;

describe("a first deployment", () => {
  test("is created, uploaded, built and told step by step", async () => {
    using rig = new Rig();
    const cwd = rig.project("My Agent", { "src/tool.ts": "tool" });
    const { code, stdout, stderr } = await rig.deploy(cwd);
    expect([code, stderr]).toEqual([0, ""]);
    const plain = stdout
      .replaceAll(UUID, "ID")
      .replaceAll(rig.server.url, "URL")
      .replaceAll(/\(\d+s\)/g, "(0s)");
    expect(plain.split("\n")).toEqual([
      "Note: 'berth deploy' is in beta: its options may still change.",
      "1. Looking up deployment 'my-agent'",
      "   No deployment found. Will create.",
      "2. Creating deployment 'my-agent'",
      "   Deployment ID: ID",
      "3. Creating source archive",
      "   Archive created (0.1 MB, 3 files)",
      "4. Requesting upload URL",
      "5. Uploading source",
      "   Uploading (0.1 MB)... 100%",
      "6. Triggering remote build",
      "   AWAITING_BUILD... (0s)",
      "   BUILDING... (0s)",
      "   Deployment successful!",
      "   URL: URL/d/ID",
      "   View status: URL/console/deployments/ID",
      "",
    ]);
    expect(await rig.server.uploaded()).toMatchObject({ "src/tool.ts": "tool", "agent.ts": "" });
  });

  test("sends what the contract asks for, and the archive without the key", async () => {
    using rig = new Rig();
    const cwd = rig.project("agent", { ".env": "MODEL=small\nSERVICE_API_KEY=a-key\nPORT=1\nEMPTY=\n" });
    const args = ["--deployment-type", "prod", "--install-command", "bun install --production", "--no-wait"];
    const { code, stdout } = await rig.deploy(cwd, args);
    expect(code).toBe(0);
    expect(stdout).toContain("Build triggered");
    expect(stdout).toContain("Skipping reserved env var: PORT\n");
    const [looked, created, urlAsked, uploaded, patched] = rig.server.asked;
    expect(looked?.query).toContain("name_contains=agent");
    const secrets = [{ name: "MODEL", value: "small" }];
    const commands = { install_command: "bun install --production" };
    expect(created?.body).toEqual({
      name: "agent",
      source: "internal_source",
      source_config: { deployment_type: "prod", ...commands },
      source_revision_config: { langgraph_config_path: "graph.json" },
      secrets,
    });
    expect(urlAsked?.path).toEndWith("/upload-url");
    expect(uploaded?.headers.get("x-api-key")).toBeNull();
    expect(uploaded?.headers.get("content-type")).toBe("application/gzip");
    expect(uploaded?.headers.get("content-length")).toBe(String(rig.server.uploads[0]?.length));
    expect(patched?.body).toMatchObject({
      revision_source: "internal_source",
      source_revision_config: { langgraph_config_path: "graph.json" },
      source_config: commands,
      secrets,
    });
    expect(Object.keys(await rig.server.uploaded()).sort()).toEqual(["agent.ts", "graph.json"]);
  });

  test("asks for a key also of a project's own users where it is told to, and no more where it is told so", async () => {
    using rig = new Rig();
    const cwd = rig.project("agent");
    const sent = async (...words: string[]) => {
      const before = rig.server.asked.length;
      expect((await rig.deploy(cwd, [...words, "--no-wait"])).code).toBe(0);
      const asked = rig.server.asked.slice(before).filter(({ method }) => method !== "GET");
      return asked.map(({ body }) => (body as { source_config?: object } | undefined)?.source_config);
    };
    expect((await sent("--require-api-key"))[0]).toMatchObject({ require_api_key: true });
    expect(JSON.stringify(await sent())).not.toContain("require_api_key");
    expect((await sent("--no-require-api-key"))[0]).toEqual({ require_api_key: false });
  });

  test("finds the server, the key and the name in the project's .env", async () => {
    using rig = new Rig();
    const settings = { ...rig.server.environment, SERVICE_DEPLOYMENT_NAME: "Its Name" };
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
    const cwd = rig.project("agent", { ".env": lines.join("") });
    const { code, stderr } = await rig.deploy(cwd, ["--no-wait"], {
      SERVICE_ENDPOINT: "",
      SERVICE_API_KEY: "",
    });
    expect([code, stderr]).toEqual([0, ""]);
    expect(rig.server.deployments).toMatchObject([{ name: "its-name", secrets: [] }]);
  });

  test("has the values of a dotenv file above the project, and not the file", async () => {
    using rig = new Rig();
    const config = JSON.stringify({ graphs: { agent: "./agent.ts:graph" }, env: "../.env" });
    const cwd = rig.project("agent", { "graph.json": config, "../.env": "MODEL_KEY=sk-1\n" });
    const { code, stdout } = await rig.deploy(cwd, ["--no-wait"]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/Note: The environment is that of .*\.env\n/)]);
    expect(rig.server.deployments).toMatchObject([{ secrets: [{ name: "MODEL_KEY", value: "sk-1" }] }]);
    expect(Object.keys(await rig.server.uploaded()).sort()).toEqual(["agent.ts", "graph.json"]);
  });

  test("is on this machine at the BERTH_PORT of the project's .env, and not at the project's own PORT", async () => {
    using rig = new Rig();
    const { SERVICE_API_KEY, SERVICE_ENDPOINT = "" } = rig.server.environment;
    const { port } = new URL(SERVICE_ENDPOINT);
    const settings = `BERTH_PORT=${port}\nBERTH_SERVICE_API_KEY=${SERVICE_API_KEY}\n`;
    const cwd = rig.project("agent", { ".env": `PORT=1\n${settings}` });
    const { code, stderr } = await rig.deploy(cwd, ["--no-wait"], {
      SERVICE_ENDPOINT: "",
      SERVICE_API_KEY: "",
    });
    expect([code, stderr]).toEqual([0, ""]);
    expect(rig.server.deployments).toHaveLength(1);
  });

  test("as JSON is one object per line, the result last, however it ends", async () => {
    using rig = new Rig();
    const { code, stdout } = await rig.deploy(rig.project("agent"), ["--json"]);
    expect(code).toBe(0);
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const events = lines.map(({ event }) => event);
    for (const event of ["note", "step", "info", "upload_progress", "status_change", "status_url"])
      expect(events).toContain(event);
    const [deployment] = rig.server.deployments;
    expect(lines.at(-1)).toEqual({
      event: "result",
      status: "succeeded",
      message: "Deployment successful!",
      deployment_id: deployment?.id,
      revision_id: deployment?.active,
      revision_status: "DEPLOYED",
      url: `${rig.server.url}/d/${deployment?.id}`,
      status_url: expect.stringContaining("/revisions/"),
    });
    rig.server.scripts = [
      { statuses: ["BUILD_FAILED"], message: "agent.ts:1: no export" },
      { statuses: ["BUILDING"] },
    ];
    const last = async (args: string[]) => {
      const finished = await rig.deploy(rig.project("agent"), ["--json", ...args]);
      return JSON.parse(finished.stdout.trim().split("\n").at(-1) ?? "");
    };
    expect(await last([])).toMatchObject({ status: "failed", reason: "agent.ts:1: no export" });
    const timedOut = { status: "timed_out", reason: "it is BUILDING after 2 seconds" };
    expect(await last(["--timeout", "2"])).toMatchObject({ event: "result", ...timedOut });
    expect(await last(["--no-wait"])).toMatchObject({ event: "result", status: "submitted" });
    expect(await last(["--nmae"])).toMatchObject({
      status: "failed",
      reason: "unknown option --nmae: see --help",
    });
    const refused = { status: "failed", reason: expect.stringContaining("the API key was refused") };
    expect(await last(["--api-key", "wrong"])).toMatchObject({ event: "result", ...refused });
    expect(await last(["nothing"])).toMatchObject({ event: "result", status: "failed" });
  });
});

describe("a second deployment", () => {
  test("updates the one of that name in place; without an environment its secrets stay", async () => {
    using rig = new Rig();
    rig.server.addDeployment("agent-of-others");
    const { id } = rig.server.addDeployment("agent");
    const { code, stdout } = await rig.deploy(rig.project("agent"));
    expect(code).toBe(0);
    expect(stdout).toContain(`Found existing deployment (ID: ${id})`);
    expect(rig.server.calls()).not.toContain("POST /v2/deployments");
    const patch = rig.server.asked.find(({ method }) => method === "PATCH");
    expect(patch?.path).toBe(`/v2/deployments/${id}`);
    expect(patch?.body).not.toHaveProperty("secrets");
  });

  test("by its id needs no name", async () => {
    using rig = new Rig();
    const { id } = rig.server.addDeployment("whatever");
    const { stdout } = await rig.deploy(rig.project("agent"), ["--deployment-id", id, "--no-wait"]);
    expect(stdout).toContain(`Using deployment ${id}`);
    expect(rig.server.deployments).toHaveLength(1);
  });

  test("of another kind of source is refused before anything is packed", async () => {
    using rig = new Rig();
    rig.server.addDeployment("agent", "github");
    const { code, stderr } = await rig.deploy(rig.project("agent"));
    expect(code).toBe(1);
    expect(stderr).toMatch(/github.*--name/);
    expect(rig.server.calls()).toEqual(["GET /v2/deployments"]);
  });
});

describe("how it ends is in the exit code:", () => {
  test("a failed build shows its log and the reason", async () => {
    using rig = new Rig();
    const log = Array.from({ length: 40 }, (_, line) => `line ${line}`);
    rig.server.scripts = [{ statuses: ["BUILDING", "BUILD_FAILED"], message: "agent.ts:1: no export", log }];
    const { code, stdout, stderr } = await rig.deploy(rig.project("agent"));
    expect([code, stderr]).toEqual([1, "Error: BUILD_FAILED: agent.ts:1: no export\n"]);
    expect(stdout).toContain("Last build log lines:\n   | line 10\n");
    expect(stdout).toContain("   | line 39\n   Re-run with --verbose to see full build output.\n");
    expect(stdout).toContain("   Deployment failed\n   Nothing serves yet, so that there is no address.");
  });

  test("with --verbose the build log is shown as it is written, once", async () => {
    using rig = new Rig();
    const log = Array.from({ length: 130 }, (_, line) => `line ${line}.`);
    rig.server.scripts = [{ statuses: ["AWAITING_BUILD", "BUILDING", "BUILD_FAILED"], message: "no", log }];
    const { code, stdout } = await rig.deploy(rig.project("agent"), ["--verbose"]);
    expect(code).toBe(1);
    const shown = [...stdout.matchAll(/\| (line \d+\.)/g)].map((match) => match[1]);
    expect(shown).toEqual(log);
  });

  const endings: [status: string, code: number, words: string][] = [
    ["CREATE_FAILED", 1, "Deployment failed"],
    ["DEPLOY_FAILED", 1, "Deployment failed"],
    ["SKIPPED", 4, "newer revision took its place"],
    ["INTERRUPTED", 4, "interrupted"],
    ["DEPLOYING", 3, "Timed out waiting for deployment."],
  ];
  test.each(endings)("%s is %d", async (status, expected, words) => {
    using rig = new Rig();
    rig.server.scripts = [{ statuses: [status] }];
    const args = expected === 3 ? ["--timeout", "2"] : [];
    const { code, stdout } = await rig.deploy(rig.project("agent"), args);
    expect(code).toBe(expected);
    expect(stdout).toContain(words);
  });

  test("a program reads the same in the result", async () => {
    using rig = new Rig();
    rig.server.scripts = [{ statuses: ["SKIPPED"] }];
    const { code, stdout } = await rig.deploy(rig.project("agent"), ["--json"]);
    expect(code).toBe(4);
    expect(stdout).toContain('"event":"result","status":"skipped"');
  });
});

describe("other ways to deploy", () => {
  test("a template is not uploaded; again it is a new revision", async () => {
    using rig = new Rig();
    const cwd = rig.folder;
    const first = await rig.deploy(cwd, ["--template", "chat"]);
    expect([first.code, first.stderr]).toEqual([0, ""]);
    const { body } = rig.server.asked[1] ?? {};
    expect(body).toMatchObject({
      name: "chat",
      source: "internal_template",
      source_config: { template: "chat" },
    });
    expect((await rig.deploy(cwd, ["--template", "chat", "--no-wait"])).code).toBe(0);
    expect(rig.server.calls()).toContain("POST /v2/deployments/{id}/revisions");
    expect(rig.server.uploads).toEqual([]);
  });

  test("an image is named; a self-hosted edition gets it under its own word", async () => {
    using rig = new Rig();
    rig.server.instead = ({ method, body }) => {
      if (method !== "POST" || !JSON.stringify(body ?? {}).includes('"internal_docker"')) return undefined;
      const detail = "BERTH_EDITION is self_hosted: only external_docker can be created";
      return Response.json({ detail }, { status: 400 });
    };
    const { code } = await rig.deploy(rig.folder, ["--image", "registry.example/a:1", "--name", "a"]);
    expect(code).toBe(0);
    expect(rig.server.asked.filter(({ method }) => method === "POST").at(-1)?.body).toMatchObject({
      source: "external_docker",
      source_revision_config: { image_uri: "registry.example/a:1" },
    });
  });
});
