import { expect, test } from "bun:test";
import { readWebhooks } from "../../../agent/project/webhooks-config.ts";

const read = (webhooks: unknown, environment = {}) =>
  readWebhooks(
    // biome-ignore lint/suspicious/noExplicitAny: what a person wrote may be anything
    { file: "graph.json", dir: ".", graphs: {}, env: {}, config: { webhooks: webhooks as any } },
    environment,
  );

/** What stands in a header for a variable. */
const env = (name: string) => ["$", "{{ env.", name, " }}"].join("");

test("without any, nothing is set and nothing is refused", () => {
  const plain = {
    headers: {},
    url: expect.objectContaining({ requireHttps: false, disableLoopback: false }),
  };
  expect(read(undefined)).toEqual(plain);
});

test("headers are filled from the environment, as far as webhooks may read it", () => {
  const headers = { "X-A": `${env("LG_WEBHOOK_A")}-${env("LG_WEBHOOK_B")}`, "X-B": "plain" };
  const environment = { LG_WEBHOOK_A: "a", LG_WEBHOOK_B: "$&", OTHER: "c", HOOK_C: "d" };
  expect(read({ headers }, environment).headers).toEqual({ "X-A": "a-$&", "X-B": "plain" });
  const own = { env_prefix: "HOOK_", headers: { "X-C": env("HOOK_C") } };
  expect(read(own, environment).headers).toEqual({ "X-C": "d" });
});

test.each([
  [{ headers: { "X-A": env("LG_WEBHOOK_A") } }, "graph.json: webhooks.headers.X-A: LG_WEBHOOK_A is not set"],
  [{ headers: { "X-A": env("HOME") } }, "graph.json: webhooks.headers.X-A: HOME does not begin with"],
  [{ headers: { "X-A": 1 } }, "graph.json: webhooks.headers.X-A: must be a text"],
  [{ url: { allowed_ports: ["443"] } }, "graph.json: webhooks.url.allowed_ports: must be a list of ports"],
  [{ url: { require_https: "yes" } }, "graph.json: webhooks.url.require_https: must be true or false"],
  [{ url: { max_url_length: 0 } }, "graph.json: webhooks.url.max_url_length: must be a whole number"],
  ["all", "graph.json: webhooks: must be an object"],
])("%j keeps a project from being served", (webhooks, message) => {
  expect(() => read(webhooks)).toThrow(message);
});
