// What the screens of keys and workspaces say, in one place, so that it can be read in one go.

export const WORDS = {
  // key-list
  newKey: "New key",
  apiKeys: "API keys",
  hashNote: "Berth stores only a hash of each key.",
  noKeysYet: "No keys yet",
  noKeysHint:
    "A key lets programs call this Berth: the SDKs, the command line, CI. SERVICE_API_KEY is not in this list.",
  name: "Name",
  beginsWith: "Begins with",
  scope: "Scope",
  thisWorkspace: "This workspace",
  allWorkspaces: "All workspaces",
  metrics: "Metrics",
  created: "Created",
  by: "By",
  lastUsed: "Last used",
  revoke: "Revoke",
  revokeNamed: (name: string) => `Revoke ${name}`,
  revokeQuestion: (name: string) => `Revoke ${name}?`,
  revokeNote:
    "Calls with it get 401 within five seconds, and people who signed in with it are signed out. This can’t be undone.",
  wasRevoked: (name: string) => `${name} was revoked`,
  newApiKey: "New API key",
  create: "Create",
  nameHint: "Whose it is, or what it is for: “CI”, “Ada’s laptop”.",
  workspaceScopeHint: "Sees and changes this workspace only.",
  organizationScopeHint:
    "Sees every workspace and the server itself, and creates workspaces and keys like itself.",
  metricsOnly: "Metrics only",
  metricsScopeHint: "Reads the server’s /metrics and nothing else: for Prometheus and its like.",
  theKey: (name: string) => `The key ${name}`,
  shownOnce: "It is shown only once. Anyone who has it can use it.",
  copyTheKey: "Copy the key",
  keyUse: (
    <>
      Programs send it in the header <code>X-Api-Key</code>, or read it from <code>LANGSMITH_API_KEY</code>.
    </>
  ),

  // keys-screen
  workspaces: "Workspaces",
  keysAndWorkspaces: "Keys and workspaces",
  deployment: "Deployment",
  apiKeyKind: "API key",
  apiKey: "API key of the organization",
  integration: "Integration",
  tracingProject: "Tracing project",
  trace: "Trace",
  webhook: "Webhook",
  what: "What",
  when: "When",
  recentlyDeleted: "Recently deleted",
  keptForAYear: "Kept for a year.",

  // workspace-list
  workspacesNote: "Deployments, traces, issues and webhooks of one cannot be seen from another.",
  newWorkspace: "New workspace",
  current: "Current",
  id: "Id",
  actions: "Actions",
  switchTo: "Switch to it",
  renameNamed: (name: string) => `Rename ${name}`,
  deleteNamed: (name: string) => `Delete ${name}`,
  renamedTo: (name: string) => `Renamed to ${name}`,
  workspaceCreated: (name: string) => `${name} was created`,
  rename: "Rename",
  deleteQuestion: (name: string) => `Delete ${name}?`,
  deleteNote: "Only an empty workspace can be deleted. Its keys stop working.",
  wasDeleted: (name: string) => `${name} was deleted`,
  delete: "Delete",
} as const;

/** What a person can do there, for docs/console.md, and the page that says more. */
export const ABOUT = {
  keys: {
    does: "create keys (the console shows each once) and revoke them; create, rename and delete workspaces",
  },
} as const;
