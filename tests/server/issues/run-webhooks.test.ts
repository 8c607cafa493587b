import { expect, test } from "bun:test";
import { type OwnApp, type Project, plainHttp, plainWebhooks, type WebhooksConfig } from "@berth/agent";
import type { Outgoing } from "../../../server/outgoing/outgoing.ts";
import { runWebhooks } from "../../../server/outgoing/run-webhooks.ts";
import { Reach } from "../../../server/reach/reach.ts";

/** What names are looked up to; others are not known. */
const NAMES: Record<string, string[]> = {
  "example.com": ["8.8.8.8"],
  "a.example.com": ["8.8.8.8"],
  "inside.example": ["10.0.0.7"],
  "both.example": ["8.8.8.8", "169.254.169.254"],
};
const resolve = async (name: string) => {
  const found = NAMES[name];
  if (!found) throw new Error(`nobody knows ${name}`);
  return found;
};

const app: OwnApp = {
  answer: async () => new Response(),
  look: async () => ({ response: new Response(), passes: true, changed: [] }),
};

/** What is said of an address under a project's rules; undefined when it is taken. */
async function faultOf(webhook: string, url: Partial<WebhooksConfig["url"]> = {}, own: OwnApp | null = app) {
  const webhooks = { headers: {}, url: { ...plainWebhooks.url, ...url } };
  const project = { http: { ...plainHttp, app: own ?? undefined }, webhooks } as Partial<Project> as Project;
  const outgoing = { reach: new Reach([]) } as Partial<Outgoing> as Outgoing;
  try {
    await runWebhooks(project, outgoing, resolve)?.check(webhook);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

test.each([
  ["https://example.com/hook", {}],
  ["http://example.com:8080/hook", {}],
  ["https://unknown.example/hook", {}],
  ["/hook", {}],
  ["https://a.example.com/", { allowedDomains: ["*.example.com"] }],
  ["https://EXAMPLE.com/", { allowedDomains: ["example.com"], requireHttps: true, allowedPorts: [443] }],
])("%s is taken under %j", async (webhook, rules) => {
  expect(await faultOf(webhook, rules)).toBeUndefined();
});

test.each([
  ["http://example.com/", { requireHttps: true }],
  ["https://example.com:8443/", { allowedPorts: [443] }],
  ["https://example.com/", { allowedDomains: ["*.example.com"] }],
  ["https://badexample.com/", { allowedDomains: ["example.com", "*.example.com"] }],
  ["/hook", { disableLoopback: true }],
  ["https://example.com/too-long", { maxLength: 20 }],
  ["http://127.0.0.1:4000/", {}],
  ["http://[::1]:4000/", {}],
  ["http://localhost:4000/", {}],
  ["http://hooks.localhost/", {}],
  ["https://inside.example/", {}],
  ["https://both.example/", {}],
  ["http://2130706433/", {}],
  ["//example.com/hook", {}],
  ["/\\example.com/hook", {}],
])("%s is refused under %j", async (webhook, rules) => {
  expect(await faultOf(webhook, rules)).toContain("webhook ");
});

test("a path needs an app, and a project that turned webhooks off sends none", async () => {
  expect(await faultOf("/hook", {}, null)).toContain("no app of its own");
  const project = { http: { ...plainHttp, disabled: new Set(["webhooks"]) } } as Partial<Project> as Project;
  expect(runWebhooks(project, {} as Outgoing)).toBeUndefined();
});
