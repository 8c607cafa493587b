import { afterAll, beforeAll, expect, test } from "bun:test";
import { openApiDocument } from "../../../server/http/openapi.ts";
import { openControlRig, type Rig } from "./rig.ts";

type Described = {
  parameters: { name: string; in: string; required: boolean }[];
  requestBody?: { required: boolean };
  responses: Record<string, unknown>;
};

let rig: Rig;
let paths: Record<string, Record<string, Described>>;
beforeAll(async () => {
  rig = await openControlRig();
  paths = openApiDocument(rig.table, { tags: [], examples: {} }).paths as typeof paths;
});
afterAll(() => rig.close());

const deployment = "/v2/deployments/{deployment_id}";
const project = "/v1/projects/{project_id}";

test.each([
  ["post", `${deployment}/upload-url`, "409"],
  ["post", "/deployments/{deployment_id}/upload-url", "409"],
  ["get", `${deployment}/revisions/{revision_id}/logs`, "400"],
  ["get", "/v2/deployment-logs", "400"],
  ["post", `${project}/revisions/{revision_id}/build_logs`, "400"],
  ["post", `${project}/revisions/{revision_id}/deploy_logs`, "400"],
  ["post", `${project}/deploy_logs`, "400"],
])("%s %s says when it answers %s", (method, path, status) =>
  expect(Object.keys(paths[path]?.[method]?.responses ?? {})).toContain(status),
);

test.each([
  ["Last-Event-ID", "get", "/v1/changes"],
  ["Last-Event-ID", "get", `${deployment}/logs`],
  ["X-Hub-Signature-256", "post", `${deployment}/push-hook`],
])("the header %s is named by %s %s", (name, method, path) =>
  expect(paths[path]?.[method]?.parameters).toContainEqual(
    expect.objectContaining({ name, in: "header", required: false }),
  ),
);

test("a revision can be asked for without a body", () =>
  expect(paths[`${deployment}/revisions`]?.post?.requestBody?.required).toBe(false));
