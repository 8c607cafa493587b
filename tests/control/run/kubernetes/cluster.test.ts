import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Cluster } from "../../../../server/control/run/kubernetes/cluster.ts";
import { PRIVATE_TOO, Reach } from "../../../../server/reach/reach.ts";
import { until } from "../../../e2e/condition.ts";
import { selfSigned } from "../../../e2e/kubernetes/fake-api-server.ts";

const MOST_PIECES = 512;
const sent = { pieces: 0, isCancelled: false };
let folder: string;
let server: Bun.Server<undefined>;
let cluster: Cluster;

/** The proxy to a pod, whose code answers without an end; anything else is answered with a page. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "berth-cluster-"));
  const { key, cert } = selfSigned(folder);
  server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    tls: { key: Bun.file(key), cert: Bun.file(cert) },
    fetch: ({ url }) => (url.includes("/proxy/") ? endless() : new Response("<h1>Welcome</h1>")),
  });
  cluster = new Cluster(
    {
      server: new URL(`https://127.0.0.1:${server.port}`),
      ca: readFileSync(cert, "utf8"),
      token: () => "a token",
      certificate: null,
      namespace: "agents",
    },
    { reach: new Reach(PRIVATE_TOO) },
  );
});

afterAll(async () => {
  await server.stop(true);
  rmSync(folder, { recursive: true });
});

function endless(): Response {
  const body = new ReadableStream({
    pull(controller) {
      sent.pieces += 1;
      if (sent.pieces > MOST_PIECES) controller.close();
      else controller.enqueue(Buffer.alloc(262_144, "a"));
    },
    cancel() {
      sent.isCancelled = true;
    },
  });
  return new Response(body, { status: 404 });
}

test("only the beginning of a pod's answer is read", async () => {
  const pod = { name: "berth-1-abc", port: 8_000 };
  const answer = await cluster.askPod("agents", pod, { method: "POST", path: "/internal/claim" });
  expect(answer?.status).toBe(404);
  expect(answer?.text).toBe("a".repeat(4_096));
  await until("the connection is closed", async () => sent.isCancelled);
});

test("an answer that is no JSON is a failure of the cluster", async () => {
  await expect(cluster.list("Pod", "agents", {})).rejects.toThrow("The cluster's answer is not an object");
  expect(await cluster.fault("agents")).toBe("The cluster's answer is not an object");
});
