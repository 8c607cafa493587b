import { expect } from "bun:test";
import { Client as TraceClient } from "langsmith";
import type { DeploymentApi } from "./deployment-api.ts";

/**
 * Deploys an image that shows what it was told at `/ask`, and sends traces with that as the `langsmith` client of a
 * server in it would.
 */
export async function traceAnother(api: DeploymentApi, berthUrl: string, image: string): Promise<void> {
  const { id, latest_revision_id } = await api.ask<{ id: string; latest_revision_id: string }>(
    "POST",
    "/v2/deployments",
    {
      ...{ name: "of-others", source: "internal_docker", source_config: { health_path: "/ask" } },
      source_revision_config: { image_uri: image },
      secrets: [{ name: "REDIS_URI", value: "redis://elsewhere.example:6379" }],
    },
  );
  expect(await api.settled(id, latest_revision_id)).toMatchObject({ status: "DEPLOYED" });
  const { env } = await api.ask<{ env: Record<string, string> }>("GET", `/d/${id}/ask`);
  expect(env).toMatchObject({
    ...{ LANGSMITH_TRACING: "true", LANGSMITH_PROJECT: "of-others" },
    REDIS_URI: "redis://elsewhere.example:6379",
  });
  const runs = Array.from({ length: 5 }, () => Bun.randomUUIDv7());
  const client = new TraceClient({ apiUrl: env.LANGSMITH_ENDPOINT, apiKey: env.LANGSMITH_API_KEY });
  for (const run of runs)
    await client.createRun({
      ...{ id: run, trace_id: run, name: "agent", run_type: "chain", inputs: { question: "?" } },
      dotted_order: `20260101T000000000001Z${run}`,
      ...{ start_time: Date.now() - 1_000, end_time: Date.now() },
      ...{ error: "Error: the warehouse is closed", project_name: "some-other-name" },
    });
  await client.awaitPendingTraceBatches();
  type Traced = { session_id: string; extra: { metadata: Record<string, string> } };
  const traced = await Promise.all(runs.map((run) => api.ask<Traced>("GET", `/langsmith/runs/${run}`)));
  expect(traced.map(({ extra }) => extra.metadata.revision_id)).toEqual(runs.map(() => latest_revision_id));
  await api.ask("POST", "/v1/engine/scan");
  const { resources } = await api.ask<{ resources: { session_id: string; trace_count: number }[] }>(
    "GET",
    "/v1/issues",
  );
  expect(resources).toMatchObject([{ session_id: traced[0]?.session_id, trace_count: 5 }]);

  // The token is good for its own deployment's traces, and for nothing else.
  const refused = await fetch(`${env.LANGSMITH_ENDPOINT}/runs`, {
    ...{ method: "POST", body: JSON.stringify({ id: Bun.randomUUIDv7() }) },
    headers: { "x-api-key": "another-token", "content-type": "application/json" },
  });
  expect(refused.status).toBe(401);
  const elsewhere = await fetch(`${berthUrl}/v2/deployments`, {
    headers: { "x-api-key": env.LANGSMITH_API_KEY ?? "" },
  });
  expect(elsewhere.status).toBe(401);
  await api.delete(id);
}
