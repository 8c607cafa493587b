import { Elysia } from "elysia";
import { front } from "../../server/front/front.ts";
import { Access, type AccessOptions } from "../../server/http/access.ts";
import { Cors, type CorsRules } from "../../server/http/cors.ts";
import { unmatched } from "../../server/http/errors.ts";
import { Metrics } from "../../server/http/metrics.ts";
import type { Operation } from "../../server/http/operation.ts";
import { OperationTable } from "../../server/http/operation-table.ts";
import { WAIT_LIMIT_MS } from "../limits.ts";

export const workspaceId = "0197f0a0-0000-7000-8000-000000000001";

type Options = {
  operations: (table: OperationTable, metrics: Metrics) => Operation[];
  cors?: CorsRules;
  access?: Partial<AccessOptions>;
  maxBodyBytes?: number;
};

/** The HTTP layer as the process mounts it, around the given routes; keyless unless told otherwise. */
export function httpApp({ operations, cors: rules, access, maxBodyBytes = 1_000_000 }: Options) {
  const table = new OperationTable({ maxBodyBytes });
  const metrics = new Metrics([{ name: "berth_runs_pending", help: "Runs waiting", read: () => 7 }]);
  const cors = new Cors(rules ?? { allowOrigins: ["*"] });
  const guard = new Access({
    keysRequired: () => false,
    verify: async () => undefined,
    workspaceId,
    clock: Date,
    cors,
    ...access,
  });
  table.mount(operations(table, metrics));
  const app = new Elysia()
    .use(unmatched())
    .use(front({ access: guard, cors, metrics, table }))
    .use(table.router());
  return { app, table };
}

type Call = { method?: string; body?: string; headers?: Record<string, string> };

/** One request through the whole layer; `body` is parsed when it is JSON. */
export async function call(
  app: { handle(request: Request): Promise<Response> },
  path: string,
  init: Call = {},
) {
  const response = await app.handle(new Request(`http://localhost${path}`, init));
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") === true;
  const body: unknown = isJson ? JSON.parse(text) : text;
  return { status: response.status, headers: response.headers, body };
}

/** Resolves once `holds` is true; fails after `limitMs`. */
export async function until(holds: () => boolean, what: string, limitMs = WAIT_LIMIT_MS): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
