// Starts Berth in this process, whose program is none that an executor could be, and prints where it listens and what it declares: for the walk over every operation.
import { CodeSource } from "../../../server/executors/index.ts";
import { unknownFieldsOf } from "../../../server/http/operation.ts";
import type { Mounted } from "../../../server/http/operation-table.ts";
import { startProcess } from "../../../server/process.ts";
import { readSettings } from "../../../server/settings/config.ts";
import type { Declared } from "./outcomes.ts";

const [project = ".", data = ".", isDeployed = "no"] = process.argv.slice(2);
const settings = readSettings({ PORT: "0", DATA_DIR: data, EXECUTORS: "0" }, process.env, project);
const source = new CodeSource({ path: project, dotenv: "needed" }, settings, process.env);
source.prepare();
const { url, operations } = await startProcess(settings, {
  source,
  ...(isDeployed === "no" && { control: { environment: process.env } }),
});
console.log(JSON.stringify({ url, operations: operations.map(declared) }));

function declared({ method, path, policy, operation: { spec } }: Mounted): Declared {
  const { plane, asks, origins, tenant, owner } = policy;
  const { rule } = spec.access;
  return {
    ...{ method, path, plane, asks, origins, tenant, owner },
    rule: rule && `${rule.resource}: ${rule.action}`,
    bodyLimit: spec.bodyLimit,
    unknownFields: unknownFieldsOf(spec) ?? null,
    takesBody: spec.body !== undefined || spec.rawBody !== undefined,
  };
}
