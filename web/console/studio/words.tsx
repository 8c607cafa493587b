import type { ReactNode } from "react";

// What the studio says, in one place, so that it can be read in one go.

export const WORDS = {
  // branch
  input: "Input",
  stateEdited: "State edited",
  forked: "Forked",
  start: "Start",

  // graph-panel
  graphNotDrawn: "The graph could not be drawn",
  loadingTheGraph: "Loading the graph",
  subgraphs: "Subgraphs",

  // graph-view
  zoomOut: "Zoom out",
  zoomIn: "Zoom in",
  nodesOfTheGraph: "Nodes of the graph",

  // layout
  group: (id: string) => `group ${id}`,

  // input-panel
  loadingTheInput: "Loading the input",
  runBoth: "Run both",
  run: "Run",
  stop: "Stop",
  branchesOffAt: (step: string) => `From step ${step}: the thread branches off there.`,
  fromTheEndInstead: "From the end instead",
  stopBeforeEachNode: "Stop before each node",

  // lane-at
  runA: "Run A",
  runB: "Run B",

  // lane-head
  assistant: "Assistant",
  newThread: "New thread",
  nextSettings: "Settings of the next run",
  version: (name: string, version: number) => `${name}, version ${version}`,
  changed: "changed",
  thread: "Thread",
  newThreadOption: "New thread",
  threadNamed: (threadId: string) => `Thread ${threadId}`,

  // node-detail
  whichTime: "Which time",
  placeOf: (at: number, length: number) => `${at} of ${length}`,
  nodeNotReached: "The newest run has not reached this node.",
  in: "In",
  out: "Out",
  stopAt: (side: string) => `Stop ${side} it`,

  // settings
  settingsHint: "For one run. Leave a field empty to use the assistant’s value.",
  context: "Context",
  configuration: "Configuration",
  savedAsVersion: (version: number) => `Saved as version ${version}.`,
  saveAsVersion: "Save as a new version",

  // state-editor
  state: "State",
  valueRemoved: (gone: string) => `A value can’t be removed: ${gone}. Set it to another value, such as null.`,
  saveAndContinue: "Save and continue",
  save: "Save",
  cancel: "Cancel",
  asIfWritten: "As if written by",
  writerHint: "The nodes after this one run next.",
  lastWriter: "The last writer",
  inputWriter: "the input",

  // step-detail
  checkpoint: (codeText: ReactNode) => <>Checkpoint {codeText}</>,
  copyTheCheckpointsId: "Copy the checkpoint’s id",
  forkHint: "A copy of the thread that continues from here.",
  editState: "Edit state",
  continueFromHere: "Continue from here",
  nextInputFromHere: "Next input from here",
  forkToANew: "Fork to a new thread",
  hideTheState: "Hide the state",
  wholeState: "Show the whole state",

  // step-row
  noChange: "no change",
  asks: "asks",
  theBranchBefore: "The branch before",
  theNextBranch: "The next branch",

  // studio-screen
  studio: "Studio",
  studioNote: (name: string) => `${name} · run an assistant step by step, and change what it knows`,
  closeTheComparison: "Close the comparison",
  compareTwoRuns: "Compare two runs",
  loadingAssistants: "Loading assistants",
  noAssistantsHere: "No assistants here",
  noGraphHint: "The project has no graph to run.",

  // thread-panel
  noStepsYet: "No steps yet. The first run starts a thread, and its steps appear here.",
  steps: "Steps",
  stateSoFar: "State so far",
  stateAtStep: (step: unknown) => `State of the branch, step ${step}`,
  openTrace: "Open trace",
  openInTheChat: "Open in the chat",
  writing: "Writing",

  // waiting
  pausedBefore: (next: string) => `Paused before ${next}`,
  continue: "Continue",
  failed: (join: string) => `${join} failed`,
  tryAgainFromHere: "Try again from here",
  editHint: "Or edit the state of the newest step below, and continue.",
  itAsks: "It asks",
  itAsksQuestions: (length: number) => `It asks ${length} questions`,
  question: "Question",
  answer: "Answer",
  textOrJson: "Text or JSON.",
  answerAndContinue: "Answer and continue",
  approve: "Approve",
  no: "No.",
  reject: "Reject",

  // use-lane
  chooseAnAssistantFirst: "Choose an assistant first.",
} as const;

/** What a person can do there, for docs/console.md, and the page that says more. */
export const ABOUT = {
  studio: {
    does: "run any assistant by hand: its graph lit while it runs, breakpoints, two runs side by side; edit the state at any checkpoint and continue, branch off from there, fork",
  },
} as const;
