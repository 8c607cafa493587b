/** A group of operations in the API document. */
export type Tag = { name: string; description: string };

/** Of a process that manages deployments. */
const controlPlaneTags: readonly Tag[] = [
  { name: "Deployments", description: "Agents that this Berth builds, starts and keeps running." },
  { name: "Revisions", description: "The versions of a deployment, from the first to the newest." },
  { name: "Logs", description: "The output of builds and running revisions." },
  { name: "Uploads", description: "How you send archives of projects, and images, to Berth." },
  { name: "Registry", description: "Container engines push the images of deployments here." },
  { name: "Changes", description: "A live stream of what changes in deployments and revisions." },
  { name: "Listeners", description: "Clusters that run deployments." },
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
      "The state of a whole Berth: what is wrong, how long Berth keeps data, and what happens now.",
  },
  { name: "Issue engine", description: "The scans that find issues." },
];

/** The groups in the order in which somebody new reads them. */
export const tags: readonly Tag[] = [
  {
    name: "Assistants",
    description: "A graph with its own settings, in versions. Every graph has one from the start.",
  },
  { name: "Threads", description: "Conversations: their values, checkpoints and interrupts." },
  { name: "Thread Runs", description: "Runs of an assistant that continue a thread." },
  {
    name: "Thread Protocol",
    description: "Commands to a thread and its events, live and replayed, over HTTP or a WebSocket.",
  },
  { name: "Stateless Runs", description: "Runs that keep nothing by default." },
  { name: "Crons", description: "Runs on a schedule: all on one thread, or each on its own thread." },
  { name: "Chat", description: "Threads, in the form that the chat in the browser uses." },
  { name: "Store", description: "Items that outlive threads, by namespace and key." },
  { name: "MCP", description: "Assistants as tools, by the Model Context Protocol." },
  { name: "A2A", description: "Assistants as agents for other agents, by the Agent2Agent protocol." },
  { name: "Generative UI", description: "Components that graphs draw in the pages of their clients." },
  { name: "System", description: "What this process is, and how well it works." },
  ...controlPlaneTags,
  ...issueTags,
];
