// What the screens of assistants say, in one place, so that it can be read in one go.

export const WORDS = {
  // assistant-dialog
  change: (name: string) => `Change ${name}`,
  newAssistant: "New assistant",
  saveAsNewVersion: "Save as a new version",
  create: "Create",
  name: "Name",
  graph: "Graph",
  description: "Description",
  descriptionHint: "What it is for. Other agents read it, too.",
  context: "Context",
  contextHint: "What each run gets as its context, such as a prompt or a model: a JSON object.",
  config: "Config",
  configHint: "tags, recursion_limit, configurable.",
  metadata: "Metadata",
  metadataHint: "Helps to find it.",
  metadataChangeHint: "Added to the metadata that it has.",

  // assistant-screen
  assistant: "Assistant",
  assistants: "Assistants",
  theGraph: (graph_id: string) => `The graph ${graph_id}`,
  version: "Version",
  changed: "Changed",
  created: "Created",
  id: "Id",
  copyTheId: "Copy the id",
  none: "None.",
  moreActions: (name: string) => `More actions for ${name}`,
  delete: "Delete…",
  changeIt: "Change",
  openInTheStudio: "Open in the studio",
  wasDeleted: (name: string) => `${name} was deleted.`,
  deleteNamed: (name: string) => `Delete ${name}?`,
  deleteNote: "Its versions, runs and crons go with it. Threads stay. This can’t be undone.",
  comesBackNote: "The project makes this one: it comes back at once, as version 1.",

  // assistants-screen
  assistantsNote: (name: string) => `${name} · a graph with its own settings, in versions`,
  noAssistantsMatch: "No assistants match",
  removeAFilter: "Remove a filter, or try another name.",
  createdBy: "Created by",
  theProject: "the project",

  // versions
  madeLatest: (version: number) => `Version ${version} is now the latest.`,
  versions: "Versions",
  runsUseTheLatest: "Runs use the latest version.",
  rollBackToVersion: (version: number) => `Roll back to version ${version}`,
  latest: "latest",
  nothing: "nothing",
  createdColumn: "Created",
  actions: "Actions",
  makeLatestVersion: (version: number) => `Make latest: version ${version}`,
  makeLatest: "Make latest",
  theFirstOne: "the first one",
  versionNumber: (version: number) => `Version ${version}`,
  compare: "Compare",
  from: "From",
  to: "To",
  sameVersions: "These two versions are the same.",
  deleteIt: "Delete",
} as const;

/** What a person can do there, for docs/console.md, and the page that says more. */
export const ABOUT = {
  assistants: {
    does: "create and change assistants, each change a version; compare two versions, roll back, make one the latest, delete",
  },
} as const;
