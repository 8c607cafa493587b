/** A group of operations in the API document. */
export type Tag = { name: string; description: string };

/** Of a process that manages deployments. */
const controlPlaneTags: readonly Tag[] = [
  { name: "Deployments", description: "Agents that are built, started and kept running here." },
  { name: "Revisions", description: "The states of a deployment, from its first to the next one." },
  { name: "Logs", description: "The output of builds and running revisions." },
  { name: "Uploads", description: "How archives of projects and images get here." },
  { name: "Registry", description: "Images that are pushed to deployments, as container engines do it." },
  { name: "Changes", description: "Deployments and revisions, followed live." },
  { name: "Listeners", description: "Clusters elsewhere that run deployments themselves." },
  { name: "Integrations", description: "Repositories at GitHub, and their pushes." },
  { name: "Keys", description: "API keys, for a workspace or for all of them." },
  { name: "Workspaces", description: "A workspace separates its deployments from those of others." },
];

/** Of the same process: how agents do, and who hears of it. */
const issueTags: readonly Tag[] = [
  {
    name: "Tracing projects",
    description: "A tracing project separates the traces of one agent from those of others.",
  },
  { name: "Traces", description: "What each run did, in spans." },
  { name: "Figures", description: "What runs did over time, and what models cost." },
  {
    name: "Trace Ingest",
    description: "Traces of programs elsewhere, as the `langsmith` clients send them.",
  },
  { name: "Issues", description: "What keeps going wrong, grouped from traces." },
  { name: "Webhooks", description: "Subscriptions to issues, and the deliveries that Berth sent." },
  {
    name: "Operations",
    description:
      "The state of a whole Berth, what is wrong, what Berth keeps for how long, and what happens.",
  },
  { name: "Issue engine", description: "The scans that find issues." },
];

/** The groups in the order in which somebody new reads them. */
export const tags: readonly Tag[] = [
  {
    name: "Assistants",
    description: "A graph with its own settings, in versions. Every graph has one from the start.",
  },
  { name: "Threads", description: "What was said and computed so far: values, checkpoints, interrupts." },
  { name: "Thread Runs", description: "Runs of an assistant that continue a thread." },
  {
    name: "Thread Protocol",
    description: "Commands to a thread and its events, live and replayed, over HTTP or a WebSocket.",
  },
  { name: "Stateless Runs", description: "Runs that keep nothing by default." },
  { name: "Crons", description: "Runs on a schedule, on a thread or each on its own." },
  { name: "Chat", description: "Threads as the chat in the browser and its clients use them." },
  { name: "Store", description: "Items that outlive threads, by namespace and key." },
  { name: "MCP", description: "Assistants as tools, by the Model Context Protocol." },
  { name: "A2A", description: "Assistants as agents for other agents, by the Agent2Agent protocol." },
  { name: "Generative UI", description: "Components that graphs draw in the pages of their clients." },
  { name: "System", description: "What this process is, and how well it works." },
  ...controlPlaneTags,
  ...issueTags,
];
