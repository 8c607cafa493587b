import {
  booleanTexts,
  limitTexts,
  noList,
  noObject,
  noText,
  noWord,
  offsetTexts,
  type RouteRow,
} from "./bad-input-wrong.ts";

/** What the list pages of v2 must refuse. */
const page = { limit: [...limitTexts, "101"], offset: offsetTexts };
const noTime = ["soon", "12"];
const noLevel = ["LOUD", "info,error"];

const noSecrets = [
  ...noList,
  [1],
  [{}],
  [{ name: "A" }],
  [{ name: 1, value: "x" }],
  [{ name: "A", value: 1 }],
];
const noReferences = [...noList, [{}], [{ name: "A", secret_name: "b", secret_key: 1 }]];
const noSourceConfig = [
  ...noObject,
  { deployment_type: "big" },
  { build_on_push: "yes" },
  { integration_id: "x" },
  { resource_spec: { cpu: 9 } },
];
const noRevisionConfig = [...noObject, { repo_ref: 1 }, { image_uri: [] }, { langgraph_config_path: {} }];

const change = {
  revision_source: noWord,
  source_config: noSourceConfig,
  source_revision_config: noRevisionConfig,
  secrets: noSecrets,
  secret_references: noReferences,
};

const logTimes = { start_time: noTime, end_time: noTime };
const logBody = {
  order: noWord,
  limit: [0, -1, 1_001, "ten", {}],
  offset: noText,
  query: noText,
  level: noWord,
  start_time: [...noText, "soon"],
  end_time: [...noText, "soon"],
};
/** What engines call. */
const image = "/v2/berth/{deployment_id}/{image}";
const engine = { engine: true, open: true, known: 401 } as const;

const projectLogs = (path: string): RouteRow => ({
  route: `POST /v1/projects/{project_id}/${path}`,
  body: {},
  wrong: logBody,
  optional: true,
  known: 404,
});

const name = [...noText, "", "x".repeat(101)];

/** The routes of the control plane, before there is any key. */
export const CONTROL_ROUTES: RouteRow[] = [
  {
    route: "GET /v2/deployments",
    query: {
      ...page,
      name_contains: [],
      name: [],
      status: ["BUSY"],
      remote_reconciled: booleanTexts,
      tag_value_ids: ["a"],
      image_version: [],
      deployment_type: ["big"],
      deployment_ids: ["a", "a,b"],
    },
    known: 200,
  },
  {
    route: "POST /v2/deployments",
    body: {
      name: "agent",
      source: "internal_source",
      source_config: {},
      source_revision_config: { langgraph_config_path: "graph.json" },
      secrets: [],
    },
    wrong: {
      name: [...name, "a b", "-a"],
      source: noWord,
      source_config: noSourceConfig,
      source_revision_config: noRevisionConfig,
      secrets: noSecrets,
      secret_references: noReferences,
    },
    known: 401,
  },
  { route: "DELETE /v2/deployments", query: { deployment_ids: ["a"] }, known: 422 },
  { route: "GET /v2/deployments/free-count", known: 200 },
  { route: "GET /v2/deployments/{deployment_id}", known: 404 },
  {
    route: "PATCH /v2/deployments/{deployment_id}",
    body: {},
    wrong: { ...change, name: noText, source: noWord, tracked_packages: [...noList, [1], ["google-adk"]] },
    known: 404,
  },
  {
    route: "DELETE /v2/deployments/{deployment_id}",
    query: { delete_tracing_project: booleanTexts, force: booleanTexts },
    known: 404,
  },
  {
    route: "GET /v2/deployments/{deployment_id}/figures",
    query: { minutes: ["0", "1441", "ten"] },
    known: 404,
  },
  { route: "GET /v2/deployments/{deployment_id}/instances", known: 404 },
  {
    route: "GET /v2/deployments/{deployment_id}/revisions",
    query: { ...page, status: ["BOGUS", "DEPLOYED,BOGUS", "deployed"], remote_reconciled: booleanTexts },
    known: 404,
  },
  {
    route: "POST /v2/deployments/{deployment_id}/revisions",
    body: {},
    wrong: change,
    optional: true,
    known: 404,
  },
  { route: "GET /v2/deployments/{deployment_id}/revisions/{revision_id}", known: 404 },
  { route: "POST /v2/deployments/{deployment_id}/revisions/{revision_id}/redeploy", known: 404 },
  { route: "POST /v2/deployments/{deployment_id}/revisions/{revision_id}/interrupt", known: 404 },
  {
    route: "GET /v2/deployments/{deployment_id}/revisions/{revision_id}/logs",
    query: {
      type: ["all"],
      order: ["up"],
      limit: limitTexts,
      offset: [],
      query: [],
      level: noLevel,
      ...logTimes,
      run_id: ["a"],
    },
    known: 422,
  },
  {
    route: "GET /v2/deployment-logs",
    query: {
      deployment_id: ["a"],
      revision_id: ["a"],
      log_type: ["build"],
      sort_order: ["up"],
      page_size: [...limitTexts, "101"],
      cursor: [],
      query: [],
      level: noLevel,
      ...logTimes,
      run_id: ["a"],
    },
    known: 422,
  },
  {
    route: "GET /v2/deployments/{deployment_id}/logs",
    query: {
      type: ["all", "BUILD"],
      revision_id: ["a"],
      query: [],
      level: noLevel,
      since: ["-1", "1.5", "last"],
    },
    known: 404,
  },
  { route: "GET /v1/sources", known: 200 },
  projectLogs("deploy_logs"),
  projectLogs("revisions/{revision_id}/build_logs"),
  projectLogs("revisions/{revision_id}/deploy_logs"),
  { route: "POST /v2/deployments/{deployment_id}/upload-url", known: 404 },
  { route: "POST /deployments/{deployment_id}/upload-url", known: 404 },
  { route: "POST /v2/deployments/{deployment_id}/push-token", known: 404 },
  { route: "PUT /v2/uploads/{token}", open: true, known: 404 },
  { route: "GET /v2", ...engine },
  {
    route: `POST ${image}/blobs/uploads`,
    ...engine,
    query: { digest: [], mount: [], from: [] },
  },
  { route: `GET ${image}/blobs/uploads/{upload_id}`, ...engine },
  { route: `PATCH ${image}/blobs/uploads/{upload_id}`, ...engine },
  { route: `PUT ${image}/blobs/uploads/{upload_id}`, ...engine, query: { digest: [] } },
  { route: `DELETE ${image}/blobs/uploads/{upload_id}`, ...engine },
  { route: `GET ${image}/blobs/{digest}`, ...engine },
  { route: `DELETE ${image}/blobs/{digest}`, ...engine },
  { route: `GET ${image}/manifests/{reference}`, ...engine },
  { route: `PUT ${image}/manifests/{reference}`, ...engine },
  { route: `DELETE ${image}/manifests/{reference}`, ...engine },
  { route: `GET ${image}/tags/list`, ...engine, query: { n: ["-1", "x", "1.5"], last: [] } },
  { route: `GET ${image}/referrers/{digest}`, ...engine, query: { artifactType: [] } },
  { route: "GET /v2/deployments/{deployment_id}/push-hook", known: 404 },
  { route: "POST /v2/deployments/{deployment_id}/push-hook", open: true, known: 401 },
  { route: "POST /v2/deployments/{deployment_id}/push-hook/rotate", known: 404 },
  { route: "GET /v1/activity", known: 200 },
  { route: "GET /v1/system", known: 200 },
  { route: "GET /v1/system/doctor", known: 200 },
  { route: "GET /v1/system/retention", known: 200 },
  { route: "POST /v1/system/retention/sweep", known: 200 },
  { route: "GET /v1/changes", query: { since: ["-1", "1.5", "last"] }, known: 200 },

  { route: "GET /v2/listeners", query: page, known: 200 },
  {
    route: "POST /v2/listeners",
    body: { compute_type: "k8s", compute_id: "east", compute_config: {} },
    wrong: {
      version: noText,
      compute_type: noWord,
      compute_id: [...noText, ""],
      compute_config: [...noObject, { k8s_namespaces: "a" }, { k8s_namespaces: [""] }],
      credentials: [...noObject, { kubeconfig: "" }, { in_cluster: false }],
      reach: [...noObject, { by: "phone" }, { by: "node_port" }],
    },
    known: 401,
  },
  { route: "GET /v2/listeners/{listener_id}", known: 404 },
  {
    route: "PATCH /v2/listeners/{listener_id}",
    body: {},
    wrong: {
      version: noText,
      compute_type: noText,
      compute_id: noText,
      compute_config: [...noObject, { k8s_namespaces: [1] }],
      credentials: [...noObject, { kubeconfig: "" }, { in_cluster: false }],
      reach: [...noObject, { by: "phone" }, { by: "node_port" }],
    },
    known: 404,
  },
  { route: "DELETE /v2/listeners/{listener_id}", known: 404 },

  { route: "GET /v1/integrations/github/install", known: 200 },
  { route: "GET /v1/integrations/forge/github/install", known: 200 },
  {
    route: "POST /v1/integrations/github",
    body: { name: "octo", token: "ghp_0" },
    wrong: { name, token: [...noText, "", "a b"] },
    known: 401,
  },
  { route: "DELETE /v1/integrations/github/{integration_id}", known: 404 },
  { route: "GET /v1/integrations/github/{integration_id}/repos", known: 404 },
  { route: "GET /v1/integrations/forge/github/{integration_id}/repos", known: 404 },

  { route: "GET /v1/keys", known: 200 },
  { route: "POST /v1/keys", body: { name: "ci" }, wrong: { name, scope: noWord }, known: 401 },
  { route: "DELETE /v1/keys/{key_id}", known: 404 },
  {
    route: "GET /v1/deletions",
    query: { kind: ["thread"], target_id: ["x"], ...page },
    known: 200,
  },
  { route: "GET /v1/workspaces", known: 200 },
  { route: "POST /v1/workspaces", body: { name: "research" }, wrong: { name }, known: 401 },
  { route: "GET /v1/workspaces/{workspace_id}", known: 404 },
  { route: "PATCH /v1/workspaces/{workspace_id}", body: { name: "research" }, wrong: { name }, known: 404 },
  { route: "DELETE /v1/workspaces/{workspace_id}", known: 404 },
];
