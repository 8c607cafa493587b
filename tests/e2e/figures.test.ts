import { beforeAll, expect, test } from "bun:test";
import { TEST_LIMIT_MS } from "../limits.ts";
import { template } from "./berth-process.ts";
import { until } from "./condition.ts";
import { DeploymentApi } from "./deployment-api.ts";
import { servedBerth } from "./served-berth.ts";

const KEY = "the-key-of-these-figures";
const input = { messages: [{ type: "human", content: "hello" }] };

type Figures = {
  total: { runs: number; input_tokens: number; cost: number; unpriced_models: string[] };
  groups: { name: string | null; deployment_id: string | null; total: { runs: number } }[];
};

const berth = servedBerth({
  project: template("chat"),
  env: { SERVICE_API_KEY: KEY, OFFLINE_TOKEN_MS: "0", ENGINE_INTERVAL: "0" },
});
const api = new DeploymentApi(() => berth.url, KEY);
const figures = (query: string) => api.ask<Figures>("GET", `/v1/figures?range=1h&${query}`);

let deployed: string;
beforeAll(async () => {
  const { id, latest_revision_id } = await api.fromTemplate("greeter");
  await api.settled(id, latest_revision_id);
  deployed = id;
}, TEST_LIMIT_MS);

test(
  "runs of a deployment and of the project served here are in one sum, told apart by revision",
  async () => {
    await api.ask("POST", "/runs/wait", { assistant_id: "chat", input });
    for (let at = 0; at < 2; at++)
      await api.ask("POST", `/d/${deployed}/runs/wait`, { assistant_id: "chat", input });
    const { total, groups } = await until(
      "three runs in the figures",
      () => figures("group_by=revision"),
      ({ total }) => total.runs === 3,
    );
    expect(total.input_tokens).toBeGreaterThan(0);
    // The offline model costs nothing, and that is known.
    expect(total).toMatchObject({ cost: 0, unpriced_models: [] });
    expect(groups).toMatchObject([
      { name: "greeter #1", deployment_id: deployed, total: { runs: 2 } },
      { name: null, total: { runs: 1 } },
    ]);
    expect((await figures(`deployment_id=${deployed}`)).total.runs).toBe(2);
  },
  TEST_LIMIT_MS,
);
