// What the parts of every screen say, in one place, so that it can be read in one go.

export const WORDS = {
  // charts
  countsOverTime: "Counts over time",
  count: "Count",
  time: "Time",

  // copy-button
  copy: "Copy",
  copied: "Copied",

  // filter-bar
  clear: "Clear",
  anyOf: (label: string) => `${label}: any`,

  // form-dialog
  cancel: "Cancel",
  typeToConfirm: (typeName: string) => `Type “${typeName}” to confirm`,

  // json-field
  invalidJson: (error: unknown) => `This is not valid JSON: ${error}`,
  mustBeJsonObject: "This must be a JSON object: { … }",

  // layout
  pageTitle: (title: string) => `${title} · Berth console`,
  partsOfThisScreen: "Parts of this screen",
  showMore: "Show more",

  // placeholders
  createTheFirstKey: "Create the first key",
  firstKeyHint:
    "Until there is a key, Berth answers this machine only, and nobody can deploy. Create one in a terminal on this machine. This page then continues by itself.",
  copyTheCommand: "Copy the command",
  loading: "Loading",
  tryAgain: "Try again",
  notFound: "Not found",
  notLoaded: "This could not be loaded",

  // status-badge
  waitingToBuild: "Waiting to build",
  waitingToStart: "Waiting to start",
  starting: "Starting",
  notCreated: "Not created",
  buildFailed: "Build failed",
  startFailed: "Start failed",
  serving: "Serving",
  finishing: "Finishing",
  asleep: "Asleep",
  waitingForItsDatabase: "Waiting for its database",
  ready: "Ready",
  unused: "Unused",
  beingDeleted: "Being deleted",
  timedOut: "Timed out",
  busy: "Busy",
  beingSent: "Being sent",
  deliveryFailed: "Failed",
  ok: "OK",

  // secret-dialog
  iveSaved: "I’ve saved it",

  // virtual-table
  list: "List",
  none: "none",
} as const;
