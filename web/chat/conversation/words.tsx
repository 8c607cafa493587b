// What a conversation says, in one place, so that it can be read in one go.

export const WORDS = {
  // component-view
  componentNotShown: (name: string, why: string) => `The component “${name}” is not shown: ${why}`,

  // content
  image: "Image",

  // conversation-frame
  answerNotSent: (reason: string) => `Your answer could not be sent: ${reason}`,
  jumpToTheEnd: "Jump to the end",
  answerTheAgent: "Answer the agent",
  writeToTheMain: "Write to the main agent",
  writeAMessage: "Write a message",
  answerAbove: "The agent waits for your answer above",
  thisConversation: "This conversation",

  // input-form
  input: "Input",
  stop: "Stop",
  run: "Run",
  state: "State",

  // action-review
  whyNot: "Why not?",
  reasonHint: "The agent reads this. Optional.",
  reject: "Reject",
  yourAnswerShort: "Your answer",
  answerHint: "The agent reads this.",
  send: "Send",
  approve: "Approve",
  accept: "Accept",
  edit: "Edit",
  respond: "Respond",
  ignore: "Ignore",
  approved: "Approved",
  accepted: "Accepted",
  edited: "Edited",
  rejected: "Rejected",
  answered: "Answered",
  ignored: "Ignored",
  runWithArguments: "Run with these",
  cancel: "Cancel",
  mustBeJsonObject: "This must be a JSON object.",
  invalidJson: "This is not valid JSON.",

  // interrupts
  answeredOnce: "Answered.",
  change: "Change",
  answerRefused: (wrong: string) => `The answer could not be sent: ${wrong} Try again.`,
  theAgentAsksYou: "The agent asks you",
  sendDecisions: (size: number, length: number) => `Send ${size} of ${length} decisions`,
  mayTheAgentDo: "May the agent do this?",
  mayTheAgentDoThese: (length: number) => `May the agent do these ${length} things?`,
  waitsForAnswer: "The agent waits for an answer.",
  textOrJsonHint: "Text, or JSON if the agent expects data.",
  answer: "Answer",

  // question-record
  questionOfAgent: "A question of the agent",
  theAgentAsked: "The agent asked for your decision",
  theAgentAskedYou: "The agent asked you",
  nobodyAnswered: "Nobody answered.",
  withOtherArguments: "With these arguments instead:",

  // answer-view
  assistant: "Assistant",
  stopped: "Stopped",
  runAgain: "Run again",
  thinking: "Thinking…",
  thoughts: "Thought about it",
  copied: "Copied",
  copy: "Copy",
  answerAgain: "Answer again",
  thisAnswer: "This answer",
  openTrace: "Open trace",
  goodAnswer: "Good answer",
  badAnswer: "Bad answer",
  tokensInOut: (label: string, input: string, output: string) =>
    `${label}: ${input} tokens in, ${output} out`,
  tokens: (short: string) => `${short} tokens`,

  // message-list
  showEarlierMessages: (hidden: number) => `Show ${hidden} earlier messages`,

  // message-parts
  picture: (place: number) => `Picture ${place}`,
  attachment: (place: number) => `Attachment ${place}`,
  branchesOfTheConversation: "Branches of the conversation",
  previousBranch: "Previous branch",
  branch: "Branch ",
  nextBranch: "Next branch",

  // user-message
  you: "You",
  showLess: "Show less",
  lines: (length: number) => `${length} lines`,
  ofIt: "of it",
  showAll: (lines: string) => `Show all ${lines}`,
  editAndSendAgain: "Edit and send again",
  editTheMessage: "Edit the message",
  editHint: "The conversation goes on from here; what came after stays as a branch.",

  // open-subagent
  subagentNotInBranch: "This subagent is not in the shown branch.",
  backToTheConversation: "Back to the conversation",
  subagent: (subagentName: string) => `Subagent ${subagentName}`,
  subagents: "Subagents",
  conversation: "Conversation",
  noTaskGiven: "No task given.",

  // thread
  youStoppedThisRun: "You stopped this run.",
  noReasonGiven: "The server gave no reason.",
  announceQuestion: "The agent asks you something.",
  announceFinished: "The answer is finished.",
  waitingMessages: "Waiting messages",
  message: "Message",
  dontSend: "Don’t send",
  providerKeyHint: "Check the model provider’s key in the server’s environment, then retry.",
  providerBusyHint: "The model provider is busy or its quota is used up. Wait a moment, then retry.",
  stepLimitHint: "The agent reached its limit of steps. Retry continues from here.",
  conversationTooLongHint:
    "The conversation is too long for this model. Start a new chat, or go on from an earlier message.",
  providerUnreachableHint: "The server could not reach the model provider, or it did not answer in time.",
  messageNotSent: "Your message could not be sent",
  agentFailed: "The agent stopped with an error",
  tryAgainWhenBack: "Try again when the server is back.",
  retryHint: "Retry continues from the last step that worked. Nothing is done twice.",
  retry: "Retry",
  offlineModelNote: (
    <>
      This is the <strong>offline model</strong>, a script. For a real one set <code>OPENAI_API_KEY</code> or{" "}
      <code>ANTHROPIC_API_KEY</code> and restart the server.
    </>
  ),

  // plan
  ofDone: (done: number, length: number) => `${done} of ${length} done`,
  planNotWritten: "The plan could not be written",
  planning: "Planning",
  madeAPlan: "Made a plan",
  updatedThePlan: "Updated the plan",
  toDo: "To do",
  inProgress: "In progress",
  done: "Done",
  planLabel: "The agent’s plan",
  entriesDone: "Entries done",

  // subagent-card
  starting: "Starting…",
  calls: (name: string) => `Calls ${name}`,
  aSubagent: "Subagent",

  // tool-call
  error: "Error",
  output: "Output",
  running: "Running",
  waitingForYou: "Waiting for you",
  failed: "Failed",
  declined: "Declined",
  notFinished: "Not finished",

  // use-actions
  noCheckpointBefore: "There is no checkpoint before this message to go back to.",
  historyNotLoaded: "The history of this message could not be loaded. Try again in a moment.",

  // use-scores
  ratingNotSaved: "Your rating could not be saved.",
  unnamedTool: "tool",
  noOutput: "(empty)",
} as const;
