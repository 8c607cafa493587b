/**
 * What runs in a long run only, where nobody names it: a test run takes ten minutes at most, on two cores. Every run
 * has what runs in one process, and each promise to the outside once. Files that are left out stand below the reason,
 * which names, in backticks, files that every run has instead.
 */
export const LEFT_OUT: Record<string, readonly string[]> = {
  "It measures, or wears something out. Every run has kills (`crash`), a leader that goes (`several/races`, `reconcile/leadership`), of large requests what is refused, and of much output what is dropped (`control/run/log-tail`); slow bodies have `server/body-budget`.":
    [
      ...["agent/engine/fingerprint-quality", "browser/console/pace", "e2e/chat-restarts", "e2e/clock-steps"],
      ...["e2e/crash-control", "e2e/crash-inside", "e2e/crash-slow-reader", "e2e/crash-sweeps"],
      ...["e2e/executors/losses", "e2e/fairness/fairness", "e2e/free-room", "e2e/idle-deployments"],
      ...["e2e/left-over", "e2e/log-flood", "e2e/postgres/chaos"],
      ...["e2e/protocol/steadiness", "e2e/restart", "e2e/restart-loops", "e2e/several/away"],
      ...["e2e/several/resumed", "e2e/slow-bodies", "e2e/soak/soak", "e2e/stalls/stalls"],
      ...["e2e/stalls/worst-files"],
    ],
  "A page, part by part. Every run opens each screen (`console/screens`), and signs in, talks, approves and lists runs.":
    [
      ...["browser/assistants", "browser/branches", "browser/docs", "browser/executable"],
      ...["browser/front-ends", "browser/gateway", "browser/generative-ui", "browser/generative-ui-deployed"],
      ...["browser/messages", "browser/restarts", "browser/screens", "browser/shapes", "browser/tabs"],
      ...["browser/thread-list", "browser/console/assistants", "browser/console/crons-and-store"],
      ...["browser/console/deployments", "browser/console/figures", "browser/console/issue-life"],
      ...["browser/console/issues", "browser/console/refusals", "browser/console/run-search"],
      ...["browser/console/runs", "browser/content"],
      ...[
        "browser/console/shell",
        "browser/console/studio",
        "browser/console/traces",
        "browser/console/walk",
      ],
    ],
  "Deployments in other places and hands. Every run deploys, updates, breaks, rolls back and deletes (`deployments`, `deploy-cli`, `deployed-process`, `executors/executors`), and reads what a project's files set (`http-system`, `process-driver`).":
    [
      "e2e/project-environment",
      ...["e2e/auth/deployed", "e2e/executors/deadly-reads", "e2e/executors/whole"],
      ...["e2e/kubernetes/kubernetes", "e2e/machines/deployments", "e2e/operations-schedule"],
      ...["e2e/python/deploys", "e2e/registry/engine", "e2e/registry/hostile", "e2e/registry/local-build"],
      ...["e2e/resource-limits", "e2e/secrets-key", "e2e/service", "e2e/several/roles"],
      ...["e2e/several/load-balancers"],
      ...["e2e/several/switching", "e2e/sleep/replicas", "e2e/sleep/rounds", "e2e/sleep/sleep"],
    ],
  "The same once more: in another language, version or project. Every run has `protocol/clients`, `python-wire`, `python/differential`, `mcp/tools`, `versions`, `auth/handler-changes`.":
    [
      "e2e/auth/handler-changes-elsewhere",
      ...["e2e/clients/python-sdk", "e2e/clients/remote-graph", "e2e/elsewhere/schemas"],
      ...["e2e/mcp/conformance", "e2e/protocol/both-versions", "e2e/protocol/deep-agent"],
      ...["e2e/python/graphs", "e2e/python/kills", "e2e/python/templates", "e2e/shapes/shapes"],
      ...["agent/python/worker-code", "server/delivery/snippets"],
      ...["smoke/ahead", "smoke/release", "smoke/upgrade", "smoke/your-project"],
    ],
  "pip and uv themselves. Every run has what they are told (`control/build/python-source`).": [
    "control/build/uv-workspace",
  ],
  "Details. Every run has their parts in one process, and `bad-input`, `access/walk`, `auth/ownership`, `protocol/web-socket`, `custom/custom-app`.":
    [
      ...["e2e/a2a/durable", "e2e/auth/keys", "e2e/bad-input-hostile", "e2e/checkpoint-metadata"],
      ...["e2e/custom/not-found", "e2e/custom/switches", "e2e/deleted-threads", "e2e/engine-failures"],
      ...["e2e/followed-changes", "e2e/grouping", "e2e/protocol-sockets", "e2e/shown-things"],
      ...["e2e/undeclared-fields", "cli/postgres"],
    ],
};

/** Their paths, from the root on. */
export const LONG_FILES: readonly string[] = Object.values(LEFT_OUT)
  .flat()
  .map((name) => `tests/${name}.test.ts`);
