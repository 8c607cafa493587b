import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { isProof } from "../../../server/access/index.ts";
import { TEST_LIMIT_MS } from "../../limits.ts";
import { type Declared, type Outcome, outcomeOf, type Who } from "./outcomes.ts";
import { statusBeforeBody } from "./slow-body.ts";
import { TABLE, tableOf } from "./table.ts";
import { declaredBy, GATEWAY_TOKEN, keyOf, SERVICE_KEY, startDeclared, type Walked } from "./walked-berth.ts";

const UNKNOWN_ID = "01920000-0000-7000-8000-000000000000";
const AT_ONCE = 6;
/** Where a body that does not fit would be the answer before the caller's rights are. */
const BODIES: Record<string, unknown> = {
  "POST /v1/workspaces": { name: "made by the walk" },
  "POST /v1/keys": { name: "made by the walk" },
  "POST /v2/listeners": { compute_type: "k8s", compute_id: "east", compute_config: {} },
  "POST /v1/integrations/github": { name: "octo", token: "ghp_never_shown" },
  "POST /v2/deployments": {
    name: "waits-for-its-archive",
    source: "internal_source",
    source_config: {},
    source_revision_config: { langgraph_config_path: "graph.json" },
    secrets: [],
  },
};

/** What the handlers of the project with auth forbid everybody. */
const FORBIDDEN = new Set([
  "DELETE /threads/:thread_id",
  "DELETE /api/threads/:thread_id",
  // Also of a missing run, because a refusal must not tell which runs exist.
  "DELETE /threads/:thread_id/runs/:run_id",
  "DELETE /runs/:run_id",
]);

/** A file that the chat's page loads. */
let asset = "";
let keyed: Walked;
let keyless: Walked;
let withAuth: Walked;
let deployed: Walked;
beforeAll(async () => {
  const project = join(import.meta.dir, "..", "auth", "project");
  [keyed, keyless, withAuth, deployed] = await Promise.all([
    startDeclared({}),
    startDeclared({ isKeyless: true }),
    startDeclared({ project }),
    startDeclared({ isDeployed: true }),
  ]);
  const page = await (await fetch(`${keyed.url}/sign-in`)).text();
  asset = /assets\/([\w.-]+)/.exec(page)?.[1] ?? "";
  expect(asset).not.toBe("");
}, TEST_LIMIT_MS);
afterAll(() => Promise.all([keyed, keyless, withAuth, deployed].map((berth) => berth?.stop())));

test("the committed table is what the operations declare", async () => {
  expect(await Bun.file(TABLE).text()).toBe(tableOf(declaredBy(keyed, deployed)));
});

test("what takes a body says how much of it, and what takes none says so", () => {
  // A sign-in reads its body by itself, for a form may come as well.
  const wrong = declaredBy(keyed, deployed).filter(
    ({ plane, path, takesBody, bodyLimit }) =>
      plane !== "gateway" && !path.endsWith("/sign-in") && takesBody !== (bodyLimit !== "none"),
  );
  expect(wrong).toEqual([]);
});

test(
  "a field that no schema declares is rejected or ignored, as the table says",
  async () => {
    const headers = { "x-api-key": SERVICE_KEY, "content-type": "application/json" };
    const described = keyed.operations.filter(({ unknownFields }) => unknownFields !== null);
    const wrong: string[] = [];
    for (const declared of described) {
      const { method, path } = addressOf(declared);
      const body = JSON.stringify({ made_up: "a value" });
      const response = await fetch(keyed.url + path, { method, headers, body });
      const { status } = response;
      const text = status < 300 ? "" : await response.text();
      await response.body?.cancel().catch(() => undefined);
      const isRejected = text.includes('"loc":["body","made_up"]') && text.includes('"extra_forbidden"');
      if (isRejected !== (declared.unknownFields === "rejected") || text.includes("a value"))
        wrong.push(`${nameOf(declared)}: ${status} ${text}`);
    }
    expect(wrong).toEqual([]);
    expect(described.some(({ path }) => path === "/v1/keys")).toBe(true);
  },
  TEST_LIMIT_MS,
);

type Asking = { berth: () => Walked; headers: () => Record<string, string> };

const withKey = (who: Who, isNamed = true): Asking => ({
  berth: () => keyed,
  headers: () => ({
    "x-api-key": keyOf(who),
    ...(isNamed && who === "organization key" && { "x-tenant-id": keyed.workspaceId }),
  }),
});
const plain = (berth: () => Walked, headers: Record<string, string> = {}): Asking => ({
  berth,
  headers: () => headers,
});

const ASKINGS: Record<Who, Asking> = {
  nobody: plain(() => keyed),
  "wrong key": plain(() => keyed, { "x-api-key": "berth_of_nobody" }),
  "workspace key": withKey("workspace key"),
  "other workspace's key": withKey("other workspace's key"),
  "organization key": withKey("organization key"),
  "organization key, no workspace named": withKey("organization key", false),
  "metrics key": withKey("metrics key"),
  "nobody, where there are no keys": plain(() => keyless),
  "page elsewhere, where there are no keys": plain(() => keyless, { origin: "https://evil.example" }),
  "image of a page elsewhere, where there are no keys": plain(() => keyless, {
    "sec-fetch-site": "cross-site",
    "sec-fetch-mode": "no-cors",
    "sec-fetch-dest": "image",
  }),
  "nobody, project auth": plain(() => withAuth),
  "project user": plain(() => withAuth, { authorization: "Bearer ada" }),
  "no gateway, deployed": plain(() => deployed),
  "gateway, deployed": plain(() => deployed, { "x-berth-gateway": GATEWAY_TOKEN }),
  "nobody by the gateway, deployed": plain(() => deployed, {
    "x-berth-gateway": GATEWAY_TOKEN,
    "x-berth-nobody": "1",
  }),
};

describe("every operation answers as its row says", () => {
  for (const [who, asking] of Object.entries(ASKINGS) as [Who, Asking][])
    test(
      who,
      async () => {
        const found: [string, Outcome | undefined][] = [];
        const { operations } = asking.berth();
        const left = [...operations.entries()];
        const walk = async () => {
          for (let next = left.shift(); next !== undefined; next = left.shift()) {
            const [at, declared] = next;
            found[at] = [nameOf(declared), await ask(declared, asking)];
          }
        };
        await Promise.all(Array.from({ length: AT_ONCE }, walk));
        const isForbidden = (one: Declared) => who === "project user" && FORBIDDEN.has(nameOf(one));
        expect(found).toEqual(
          operations.map((one) => [nameOf(one), isForbidden(one) ? "403" : outcomeOf(one, who)]),
        );
      },
      TEST_LIMIT_MS,
    );
});

describe("nobody's body is read who may not call, nor any before the request's own proof", () => {
  for (const [who, asking] of Object.entries(ASKINGS) as [Who, Asking][])
    test(
      who,
      async () => {
        const { operations, url } = asking.berth();
        const closed = operations.filter((one) => answersBeforeBody(one, who));
        expect(closed.length).toBeGreaterThan(0);
        const left = [...closed];
        const unanswered: string[] = [];
        const walk = async () => {
          for (let declared = left.pop(); declared !== undefined; declared = left.pop()) {
            const request = { ...addressOf(declared), headers: { ...asking.headers(), ...PROOF } };
            if ((await statusBeforeBody(url, request)) === undefined) unanswered.push(nameOf(declared));
          }
        };
        await Promise.all(Array.from({ length: AT_ONCE }, walk));
        expect(unanswered).toEqual([]);
      },
      TEST_LIMIT_MS,
    );
});

/** A signature that no secret makes. */
const PROOF = { "x-hub-signature-256": `sha256=${"0".repeat(64)}` };

/** Whether a request is answered by its head alone: it is refused, its proof is wrong, or no operation reads a body. */
function answersBeforeBody(declared: Declared, who: Who): boolean {
  const { asks, bodyLimit, plane } = declared;
  if (outcomeOf(declared, who) === undefined) return false;
  // There is no deployment of this id.
  if (plane === "gateway" || bodyLimit === "none") return true;
  return outcomeOf(declared, who) !== "in" || isProof({ asks });
}

const nameOf = ({ method, path }: Declared) => `${method} ${path}`;

const addressOf = ({ method, path }: Declared) => ({
  method: method === "ANY" ? "GET" : method,
  path: path.replace(":name", asset).replaceAll(/:\w+/g, UNKNOWN_ID).replace("*", "anything"),
});

async function ask(declared: Declared, { berth, headers }: Asking): Promise<Outcome> {
  const { method, path } = addressOf(declared);
  const hasBody = ["POST", "PUT", "PATCH"].includes(method);
  const response = await fetch(berth().url + path, {
    method,
    redirect: "manual",
    headers: { ...asBrowser(declared), ...headers(), ...(hasBody && { "content-type": "application/json" }) },
    ...(hasBody && { body: JSON.stringify(BODIES[nameOf(declared).replace("/api-host", "")] ?? {}) }),
  });
  const { status } = response;
  const isRefusal = (status === 401 || status === 403) && isOfTheDoor(await response.text());
  await response.body?.cancel().catch(() => undefined);
  return isRefusal ? (String(status) as Outcome) : "in";
}

/** Under a deployment's address, pages are for browsers, and what a browser asks first needs no key. */
function asBrowser({ plane, asks, method }: Declared): Record<string, string> {
  if (plane !== "gateway" || asks !== "visitor") return {};
  return method === "OPTIONS"
    ? { origin: "http://localhost:3000", "access-control-request-method": "POST" }
    : { accept: "text/html" };
}

/** What an operation refuses by itself is its own answer: a signature, a token, a page that may not sign in. */
const OF_THE_DOOR =
  /API key|X-Tenant-Id|without an API key|loopback|Who are you|Not authorized|Only the gateway of this deployment/;
const isOfTheDoor = (text: string): boolean => OF_THE_DOOR.test(text);
