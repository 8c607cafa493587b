/** What fields and parameters mean wherever they have these names and no words of their own. */
const GLOSSARY: Readonly<Record<string, string>> = {
  assistant_id: "Id of an assistant.",
  thread_id: "Id of a thread.",
  run_id: "Id of a run.",
  cron_id: "Id of a cron.",
  checkpoint_id: "Id of a checkpoint.",
  deployment_id: "Id of a deployment.",
  revision_id: "Id of a revision.",
  session_id: "Id of a tracing project.",
  session_name: "Name of the tracing project.",
  trace_id: "Id of a trace.",
  span_id: "Id of a span.",
  issue_id: "Id of an issue.",
  webhook_id: "Id of a subscription.",
  subscription_id: "Id of a subscription.",
  delivery_id: "Id of a delivery.",
  engine_run_id: "Id of a scan.",
  key_id: "Id of an API key.",
  listener_id: "Id of a listener.",
  integration_id: "Id of an integration.",
  workspace_id: "Id of a workspace.",
  tenant_id: "Id of the workspace.",
  tenant_name: "Name of the workspace.",
  graph_id: "Name of a graph in `graph.json`.",
  created_at: "When it was made.",
  updated_at: "When it last changed.",
  metadata: "Any values; a search can use them.",
  limit: "The most to return.",
  offset: "How many to skip before the first.",
  sort_by: "The field to sort by.",
  sort_order: "The direction.",
  select: "Only these fields of each.",
  if_exists: "What happens if it already exists; `raise` by default.",
  supersteps: "The steps from which Berth makes its state.",
  as_node: "The node in whose name Berth writes.",
  severity: "0 urgent, 1 high, 2 medium, 3 low.",
  schedule: "A cron expression of five fields.",
  timezone: "An IANA name; UTC by default.",
  next_run_date: "When it fires next.",
  name: "What it is called.",
  resources: "The page.",
  started_at: "When it began.",
  configurable: "Values that the graph reads, by name.",
  recursion_limit: "The most supersteps that a run may take.",
  update: "Values to write into the state.",
  resume: "The answer to the interrupt.",
  goto: "Nodes to continue with.",
  channels: "Which events.",
  namespaces: "Only events of these namespaces, and of those below them.",
  depth: "How many levels below.",
  input_tokens: "Tokens that models read.",
  output_tokens: "Tokens that models wrote.",
  total_tokens: "Tokens that models read and wrote.",
  k8s_namespaces: "The namespaces of the cluster that deployments may use; the first is the default.",
  compute_config: "Which part of the cluster Berth uses.",
};

/** The document with the words of the glossary where it says nothing itself. It is changed in place. */
export function explained<T extends object>(document: T): T {
  for (const part of Object.values(document)) {
    if (typeof part !== "object" || part === null) continue;
    explained(part);
  }
  if ("properties" in document && isDictionary(document.properties))
    for (const [name, field] of Object.entries(document.properties)) explain(name, field);
  if ("parameters" in document && Array.isArray(document.parameters))
    for (const parameter of document.parameters)
      if (isDictionary(parameter)) explain(String(parameter.name), parameter);
  return document;
}

function explain(name: string, field: unknown): void {
  const words = Object.hasOwn(GLOSSARY, name) ? GLOSSARY[name] : undefined;
  if (words === undefined || !isDictionary(field) || "$ref" in field || saysSomething(field)) return;
  field.description = words;
}

/** Itself, or as what it is when it is not null. */
function saysSomething({ description, anyOf }: Record<string, unknown>): boolean {
  if (description !== undefined) return true;
  return Array.isArray(anyOf) && anyOf.some((form) => isDictionary(form) && saysSomething(form));
}

function isDictionary(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
