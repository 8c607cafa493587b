import { describe, expect, test } from "bun:test";
import type { Finished } from "../e2e/command.ts";
import { AT_ONCE_MS } from "../limits.ts";
import { Rig } from "./rig.ts";

/** One line on stderr that says all of this, no stack, and the exit code. */
function expectError({ code, stderr }: Finished, expected: number, ...words: string[]): void {
  expect(stderr).toMatch(/^Error: [^\n]+\n$/);
  for (const word of words) expect(stderr).toContain(word);
  expect(code).toBe(expected);
}

describe("what is used wrongly ends with exit code 2 and asks nothing of the server:", () => {
  const wrong: [args: string[], words: string][] = [
    [["--nmae", "x"], "unknown option --nmae"],
    [["frobnicate"], 'unexpected argument "frobnicate"'],
    [["--name", "x", "list"], "options have to come after the command"],
    [["--name"], "--name needs a value"],
    [["--deployment-type", "huge"], "--deployment-type must be dev or prod"],
    [["--timeout", "soon"], "--timeout must be"],
    [["--install-command", "make; rm x"], "--install-command"],
    [["--template", "chat", "--local"], "give one of them"],
    [["--host-url", "berth.example"], "http://"],
    [["--config", "nowhere/graph.json"], "nowhere/graph.json"],
    [["delete"], "name the deployment"],
    [["delete", "x"], "--force"],
    [["logs", "--type", "all"], "--type must be deploy or build"],
    [["logs", "--level", "loud"], "--level must be one of"],
    [["logs", "--start-time", "noon"], "--start-time must be a time"],
    [["revisions", "list", "--limit", "0"], "--limit must be"],
    [["revisions"], "name a command: berth deploy revisions list"],
    [["revisions", "lst"], 'there is no command "lst"'],
    // What a variable that is not set leaves of them.
    [["--name", ""], "--name needs a value"],
    [["--image="], "--image needs a value"],
    [["--template", " "], "--template needs a value"],
    [["--config", ""], "--config needs a value"],
    [["--api-key", ""], "--api-key needs a value"],
    [["rollback", ""], "the argument REVISION is empty"],
    [["delete", "", "--force"], "the argument ID is empty"],
  ];
  test("every command says what is wrong with it", async () => {
    using rig = new Rig();
    const cwd = rig.project("agent");
    const run = async ([args, words]: (typeof wrong)[number]) => {
      const finished = await rig.deploy(cwd, args, { NO_COLOR: "" });
      expect([args, finished.code]).toEqual([args, 2]);
      const complaint = finished.stderr.split("\n").filter((line) => line.startsWith("Error: "));
      expect(complaint).toEqual([expect.stringContaining(words)]);
      expect(finished.stdout + finished.stderr).not.toContain("\u001b");
    };
    for (let at = 0; at < wrong.length; at += 4) await Promise.all(wrong.slice(at, at + 4).map(run));
    expect(rig.server.asked).toEqual([]);
  });

  test("a folder without a project, and projects that are broken", async () => {
    using rig = new Rig();
    expectError(await rig.deploy(rig.folder), 2, "no graph.json", "berth new");
    expectError(await rig.deploy(rig.project("a", { "graph.json": "{" })), 2, "graph.json");
    expectError(await rig.deploy(rig.project("b", { "graph.json": "{}" })), 2, "graphs");
    const outside = JSON.stringify({ graphs: { a: "./a.ts:a" }, env: "../credentials" });
    expectError(await rig.deploy(rig.project("c", { "graph.json": outside })), 2, "outside the project");
    expect(rig.server.asked).toEqual([]);
  });
});

describe("a server", () => {
  test("that is not there is named, with what to do", async () => {
    using rig = new Rig();
    const gone = Bun.serve({ port: 0, fetch: () => new Response() });
    const url = gone.url.origin;
    await gone.stop(true);
    expectError(
      await rig.deploy(rig.folder, ["list"], { SERVICE_ENDPOINT: url }),
      1,
      url,
      "berth start",
      "--host-url",
    );
  });

  test("behind a proxy that takes less than it does is told apart from one that refuses by itself", async () => {
    using rig = new Rig();
    const cwd = rig.project("agent");
    const page = "<html><head><title>413 Request Entity Too Large</title></head></html>";
    rig.server.instead = () => new Response(page, { status: 413, headers: { "content-type": "text/html" } });
    const refused = await rig.deploy(cwd);
    expectError(refused, 1, "a proxy in front of Berth", "client_max_body_size");
    expect(refused.stderr).not.toContain("<html>");
    rig.server.instead = () => Response.json({ detail: "The body is too large" }, { status: 413 });
    const own = await rig.deploy(cwd);
    expectError(own, 1, "status 413: The body is too large");
    expect(own.stderr).not.toContain("proxy");
  });

  test("on this machine is not looked for behind a proxy", async () => {
    using rig = new Rig();
    const proxy = { HTTP_PROXY: "http://127.0.0.1:1", http_proxy: "http://127.0.0.1:1" };
    expect((await rig.deploy(rig.folder, ["list"], proxy)).stdout).toBe("No deployments found.\n");
  });

  test("that asks for a key gets told how to give one", async () => {
    using rig = new Rig();
    const cwd = rig.project("agent");
    expectError(await rig.deploy(cwd, [], { SERVICE_API_KEY: "" }), 1, "SERVICE_API_KEY", "--api-key");
    const traced = rig.project("traced", { ".env": "LANGSMITH_API_KEY=lsv2-of-traces\n" });
    const other = await rig.deploy(traced, ["list"], { SERVICE_API_KEY: "" });
    expect(other.stderr).toContain(
      "Warning: Berth gets LANGSMITH_API_KEY of the project's .env as its API key: to send another key, set SERVICE_API_KEY",
    );
    expect(other.stderr).toMatch(
      /was refused: .*It comes from LANGSMITH_API_KEY of the project's \.env: set SERVICE_API_KEY/,
    );
    expect((await rig.deploy(traced, ["list"])).stderr).toBe("");
    const refused = await rig.deploy(cwd, ["--api-key", "wrong-key"]);
    expectError(refused, 1, "was refused");
    expect(refused.stderr + refused.stdout).not.toContain("wrong-key");
  });

  test("that wants a workspace named, or has no deployments, is told apart from one that forbids", async () => {
    using rig = new Rig();
    const forbid = (detail: string) => {
      rig.server.instead = ({ headers }) =>
        headers.get("x-tenant-id") === "w1" ? undefined : Response.json({ detail }, { status: 403 });
    };
    forbid("This key requires workspace specification.");
    expectError(await rig.deploy(rig.folder, ["list"]), 1, "SERVICE_TENANT_ID");
    expect((await rig.deploy(rig.folder, ["list"], { SERVICE_TENANT_ID: "w1" })).code).toBe(0);
    forbid("Deployment is not enabled for this organization");
    expectError(await rig.deploy(rig.folder, ["list"]), 1, "not enabled");
    forbid("Not yours");
    expectError(
      await rig.deploy(rig.folder, ["list"]),
      1,
      "GET /v2/deployments failed with status 403: Not yours",
    );
  });

  test("that answers something else than a control plane is told so", async () => {
    using rig = new Rig();
    rig.server.instead = () => new Response("<html>");
    expectError(await rig.deploy(rig.folder, ["list"]), 1, "no Berth");
    rig.server.instead = () => Response.json({ hello: "world" });
    expectError(await rig.deploy(rig.folder, ["list"]), 1, "control plane");
  });

  test("whose 422 lists places is shown as one line", async () => {
    using rig = new Rig();
    rig.server.instead = ({ method }) => {
      if (method !== "POST") return undefined;
      const detail = [{ loc: ["body", "name"], msg: "too long", type: "string_too_long" }];
      return Response.json({ detail }, { status: 422 });
    };
    expectError(await rig.deploy(rig.project("agent")), 1, "status 422: body.name: too long");
  });
});

describe("a connection that breaks", () => {
  test("does not fail a GET, and creates nothing twice", async () => {
    using rig = new Rig();
    let looks = 0;
    let creates = 0;
    rig.server.instead = ({ method, path }) => {
      if (method === "GET" && path === "/v2/deployments" && looks++ === 0)
        return new Response("", { status: 503 });
      if (method !== "POST" || path !== "/v2/deployments" || creates++ > 0) return undefined;
      // It arrived, and its answer is lost.
      rig.server.addDeployment("agent");
      return cutOff();
    };
    expect((await rig.deploy(rig.project("agent"), ["--no-wait"])).code).toBe(0);
    expect([creates, rig.server.deployments.length]).toEqual([1, 1]);
  });

  test("while the archive is sent asks for a new address", async () => {
    using rig = new Rig();
    let puts = 0;
    rig.server.instead = ({ method }) => (method === "PUT" && puts++ === 0 ? cutOff() : undefined);
    const { code, stderr } = await rig.deploy(rig.project("agent"), ["--no-wait"]);
    expect(code).toBe(0);
    expect(stderr).toContain("broke off");
    expect(rig.server.calls().filter((call) => call.endsWith("upload-url"))).toHaveLength(2);
  });

  test("whenever the archive is sent ends with where the address comes from", async () => {
    using rig = new Rig();
    rig.server.instead = ({ method }) => (method === "PUT" ? cutOff() : undefined);
    const { code, stderr } = await rig.deploy(rig.project("agent"));
    expect(code).toBe(1);
    expect(stderr.trimEnd().split("\n").at(-1)).toMatch(/^Error: .*PUBLIC_URL/);
  });

  test.each([
    ["the deployment is looked up", "GET /v2/deployments"],
    ["it is created", "POST /v2/deployments"],
    ["the archive is sent", "PUT /upload/"],
    ["the revision is looked at", "GET /v2/deployments/{id}/revisions/{id}"],
  ])("and answers nothing when %s is waited for no longer than --timeout", async (_when, request) => {
    using rig = new Rig();
    const never = new Promise<Response>(() => {});
    const isMeant = () =>
      rig.server
        .calls()
        .at(-1)
        ?.replace(/^PUT.*/, "PUT /upload/") === request;
    rig.server.instead = () => (isMeant() ? never : undefined);
    const startedAt = performance.now();
    const { code, stdout } = await rig.deploy(rig.project("agent"), ["--timeout", "3", "--json"]);
    expect(performance.now() - startedAt).toBeLessThan(3 * AT_ONCE_MS);
    expect(code).toBe(3);
    const result = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
    expect(result).toMatchObject({ event: "result", status: "timed_out" });
    expect(result.reason).toContain("3 seconds");
  });

  test("while it waits is waited for", async () => {
    using rig = new Rig();
    let looks = 0;
    rig.server.instead = ({ path }) => (/\/revisions\/./.test(path) && looks++ < 4 ? cutOff() : undefined);
    const { code, stdout } = await rig.deploy(rig.project("agent"));
    expect(code).toBe(0);
    expect(stdout).toContain("Deployment successful!");
  });
});

/** Sends the client where nobody is: for it the connection is gone. */
function cutOff(): Response {
  return new Response(null, { status: 307, headers: { location: "http://127.0.0.1:1/" } });
}
