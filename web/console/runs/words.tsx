import type { ReactNode } from "react";

// What the screens of runs, threads and traces say, in one place, so that it can be read in one go.

export const WORDS = {
  // bulk-actions
  startedAgain: "started again",
  retry: "Retry",
  cancel: "Cancel",
  label: "Label",
  chosenRuns: "Selected runs",
  chosen: (length: number) => `${length} selected`,
  clear: "Clear",
  deleteThisTrace: "Delete this trace",
  deleteTraces: (length: number) => `Delete ${length} traces`,
  deleteTracesNote:
    "This deletes their spans, inputs, outputs and feedback for good. The threads and their messages stay.",
  runs: (count: number) => (count === 1 ? "1 run" : `${count} runs`),
  partlyDone: (words: string, done: string, failed: number) => `${words} ${done}, ${failed} failed.`,
  labelThisRun: "Label this run",
  labelRuns: (length: number) => `Label ${length} runs`,
  addTags: "Add tags",
  tags: "Tags",
  tagsHint: "Separated by commas. A run keeps the tags that it has.",

  // export-menu
  csv: "CSV",
  jsonLines: "JSON lines",
  exportRuns: "Export (10,000 runs at most)",

  // run-search
  running: "Running",
  success: "Success",
  error: "Error",
  timedOut: "Timed out",
  interrupted: "Interrupted",
  cancelled: "Cancelled",
  inputsAndOutputs: "Inputs and outputs",
  errorText: "Error text",
  status: "Status",
  started: "Started",
  anyTime: "Any time",
  sort: "Sort",
  newestFirst: "Newest first",
  slowestFirst: "Slowest first",
  mostTokensFirst: "Most tokens first",
  mostExpensiveFirst: "Most expensive first",
  name: "Name",
  from: "From",
  until: "Until",
  minDuration: "Min duration, ms",
  maxDuration: "Max duration, ms",
  minTokens: "Min tokens",
  minCost: "Min cost, $",
  tag: "Tag",
  feedbackKey: "Feedback key",
  minScore: "Min score",
  maxScore: "Max score",
  threadId: "Thread id",
  reportedBy: "Reported by",
  thisProject: "This project",
  everyProject: "All projects",
  elsewhere: (name: string) => `Elsewhere: ${name}`,

  // runs-screen
  runsTitle: "Runs",
  allProjects: "All projects of the workspace",
  fewerFilters: "Fewer filters",
  moreFilters: "More filters",
  loadingRuns: "Loading runs",
  noRunsMatch: "No runs match",
  noRunsMatchHint: "Remove a filter, or choose a longer time.",
  noRunsYet: "No runs yet",
  noRunsHint: (
    <>
      Every run leaves a trace here. Talk to the agent in the chat, call <code>POST /runs</code>, or let a
      program elsewhere report: set <code>LANGSMITH_ENDPOINT</code> to this Berth’s address with{" "}
      <code>/langsmith</code> behind it.
    </>
  ),
  choose: "Select",
  chooseNamed: (name: string) => `Select ${name}`,
  chooseHint: "X; with Shift, all since the last one",
  run: "Run",
  runNamed: (id: string) => `Run ${id}`,
  thread: "Thread",
  whatWentWrong: "What went wrong",
  duration: "Duration",
  tokens: "Tokens",
  cost: "Cost",
  unknownCost: "unknown",
  noPriceKnown: "A model that it called has no price here",
  handled: (handled_error: string) => `Handled: ${handled_error}`,

  // use-runs
  moreThanNewRuns: (page: number) => `More than ${page} new runs`,
  newRuns: (count: number) => (count === 1 ? "1 new run" : `${count} new runs`),

  // waiting-runs
  behindAnotherRun: "Behind another run of its thread",
  waitingForSlot: "Waiting for a free slot",
  waitingForServer: "Waiting for this server, which is busy",
  waitingForMemory: "Waiting for memory",
  waitingForProcess: "Waiting for a process that takes runs",
  notBegunYet: "Not begun yet",
  moreWait: (length: number, more: string) => `The first ${length}. ${more} more wait.`,
  waitingRuns: "Waiting runs",
  waitsFor: "Waits for",
  created: "Created",
  notBefore: (time: string) => `Not before ${time}`,

  // since
  lastHour: "Last hour",
  last24Hours: "Last 24 hours",
  last7Days: "Last 7 days",
  last30Days: "Last 30 days",

  // thread-columns
  lastMessage: "Last message",
  graph: "Graph",
  changed: "Changed",
  open: "Open",
  openInTheChat: "Open in the chat",

  // thread-preview
  loadingTheThread: "Loading the thread",
  threadGone: "It no longer exists.",
  state: "State",
  metadata: "Metadata",
  deleteThisThread: "Delete this thread?",
  deleteThreadNote:
    "This also deletes its runs, checkpoints and feedback, and stops what runs on it. Its traces lose their inputs and outputs, unless this server is set to keep them.",
  threadDeleted: "The thread was deleted.",
  delete: "Delete",
  studio: "Studio",
  next: "Next",
  id: "Id",
  copyTheId: "Copy the id",
  waitingForAnAnswer: "Waiting for an answer",
  interrupts: "Interrupts",

  // threads-screen
  idle: "Idle",
  busy: "Busy",
  title: "Title",
  metadataUserAda: "Metadata: user=ada",
  threads: (count: number) => (count === 1 ? "1 thread" : `${count.toLocaleString()} threads`),
  threadsTitle: "Threads",
  loadingThreads: "Loading threads",
  noThreadsMatch: "No threads match",
  noThreadsMatchHint: "Remove a filter, or try another word.",
  noThreadsYet: "No threads yet",
  noThreadsHint: (
    <>
      A thread is a conversation with its state. Start one in the chat, or with <code>POST /threads</code>
    </>
  ),
  openTheChat: "Open the chat",

  // threads
  metadataHint: "Write name=value, or an object as JSON.",
  invalidJsonYet: "This is not valid JSON yet.",

  // titles
  threadNamed: (thread_id: string) => `Thread ${thread_id}`,

  // messages
  notKept: "not kept",

  // span-detail
  span: (name: string) => `Span ${name}`,
  inputs: "Inputs",
  outputs: "Outputs",
  kind: "Kind",
  firstTokenAfter: "First token after",
  model: "Model",
  node: "Node",
  threadAtEndHint: "The thread where this run ended",
  threadBeforeHint: "The thread as it was before this step",
  openThreadHere: "Open thread here",
  studioHint: "Change the state there, and continue",
  openInTheStudio: "Open in the studio",
  forkHint: "A new thread that continues from here",
  fork: "Fork",
  feedback: "Feedback",

  // span-error
  causedBy: (strong: ReactNode) => <>Caused by {strong}</>,
  cause: (place: number) => `cause ${place}`,
  copyTheError: "Copy the error",
  stackOf: (part: string) => `Stack of the ${part}`,
  causedByText: (type: string, message: string) => `Caused by ${type}: ${message}`,

  // span-line
  failed: "failed",
  firstToken: "First token",
  modelCall: "Model call",
  toolCall: "Tool call",
  retrieval: "Retrieval",
  embedding: "Embedding",
  prompt: "Prompt",
  parser: "Parser",
  chain: "Chain",

  // span-tools
  spans: (count: number) => (count === 1 ? "1 span" : `${count} spans`),
  nextErrorHint: "Go to the next span that failed (E in the tree; Shift+E goes back)",
  goToError: "Go to error",
  nextOfErrors: (failed: number) => `Next of ${failed} errors`,
  foldAll: "Fold all",
  unfoldAll: "Unfold all",
  searchSpans: "Search spans",
  none: "None",
  found: (length: number) => `${length} found`,
  placeOf: (at: number, length: number) => `${at} of ${length}`,
  previous: "Previous",

  // span-tree
  spansOverTime: "Spans over time",
  spanColumn: "Span",
  spansTitle: "Spans",

  // span-value
  readable: "Readable",
  nothing: "Nothing",
  tooLongToKeep: (bytes: string) => `Too long to keep. This is the beginning of ${bytes}.`,
  restOf: (title: string) => `${title}, the rest`,
  human: "Human",
  ai: "AI",
  system: "System",
  tool: "Tool",
  empty: "empty",
  showLess: "Show less",
  showAllCharacters: (length: string) => `Show all ${length} characters`,

  // trace-screen
  loadingTheTrace: "Loading the trace",
  nothingArrived: "Nothing of this run has arrived yet.",
  ofFailed: (failed: number, count: number) =>
    `${failed} of ${count} ${count === 1 ? "span" : "spans"} failed`,
  tokensInOut: (input: string, output: string) => `${input} in, ${output} out`,
  tokenCount: (numbers: string) => `${numbers} tokens`,
  issue: (name: string) => `Issue: ${name}`,
  spansNotKept: (dropped_spans: number) =>
    `${dropped_spans} more spans were not kept: a trace has at most 2,000.`,
  bodiesNotKept: (dropped_bodies: number) =>
    `Inputs and outputs of ${dropped_bodies} spans were too large to keep.`,
  threadDeletedNote: "Its thread was deleted, and with it the inputs, outputs and error texts.",
  threadGoneNote: "Its thread no longer exists, so this run can’t be opened, forked or repeated.",
  runStartedAgain: "The run was started again.",
  traceDeleted: "The trace was deleted.",
  deleteTraceNote:
    "This deletes its spans, inputs, outputs and feedback for good. The thread and its messages stay.",
  deleteTrace: "Delete trace",
  json: "JSON",
  unnamed: "unnamed",
} as const;

/** What a person can do there, for docs/console.md, and the page that says more. */
export const ABOUT = {
  runs: {
    page: "traces.md",
    does: "search the traces of a project; open one as a tree over time with inputs, outputs, tokens and errors; fork it or run it again",
  },
  threads: {
    does: "find threads by state, text or metadata; look into their state; open them in the chat; delete them",
  },
} as const;
