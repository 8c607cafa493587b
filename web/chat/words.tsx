import type { ReactNode } from "react";

// What the chat around a conversation says, in one place, so that it can be read in one go.

export const WORDS = {
  // chat-header
  showConversations: "Show conversations",
  settingsSomeAreSet: "Settings (some are set)",
  settings: "Settings",
  history: "History",
  assistant: "Assistant",

  // chat-page
  skipToTheConversation: "Skip to the conversation",
  conversations: "Conversations",
  newChat: "New chat",
  searchConversations: "Search conversations",
  signingOutFailed: "Signing out failed. Try again in a moment.",
  keyboardShortcuts: "Keyboard shortcuts",
  apiReference: "API reference",
  console: "Console",
  signOut: "Sign out",

  // chat-thread
  berth: "Berth",
  askNewChatWith: (name: string) => `Start a new chat with ${name}?`,
  stayHere: "Stay here",
  useItHere: "Use it in this chat",
  anotherAssistant: "another assistant",
  conversationBelongsTo: (name: string) =>
    `This conversation belongs to ${name}. It stays in the list as it is.`,
  conversationNotShown: "This conversation can’t be shown",
  reloadThePage: "Reload the page",
  conversationDeleted: "This conversation was deleted",
  conversationNotFound: "Conversation not found",
  deletedElsewhere: "It was deleted in another tab or by somebody else.",
  deletedOrWrongAddress: "It may have been deleted, or the address is wrong.",
  startANewChat: "Start a new chat",

  // attachment
  tooManyFiles: (most: number) => `A message can have at most ${most} files.`,
  fileTooLarge: (name: string) => `${name} is larger than 5 MB.`,
  wrongFileType: (name: string) =>
    `${name} can’t be attached. Choose a picture (PNG, JPEG, GIF or WebP), a PDF or a text file.`,

  // composer
  message: "Message",
  stop: "Stop",
  stopEsc: "Stop (Esc)",
  sendAfterAnswer: "Send when the answer is finished",
  send: "Send",
  sendEnter: "Send (Enter)",
  attachFiles: "Attach pictures, PDFs or text files",
  picture: (place: number) => `picture ${place}`,
  remove: (name: string) => `Remove ${name}`,

  // examples
  toolExample: "Use a tool",
  toolExampleMessage: "What is the weather in Lisbon?",
  planExample: "Plan and delegate",
  planExampleMessage: "Research how a deep agent works and summarise it",
  approvalExample: "Ask before it acts",
  approvalExampleMessage: "Send an email to ada@example.com about the launch",
  greeting: "What can I help you with?",

  // opening
  writeAMessage: "Write a message",
  beingSent: "It is being sent",

  // checkpoint-detail
  loading: "Loading",
  forkFromHere: "Fork from here",
  hideRaw: "Hide raw",
  showRaw: "Show raw",
  checkpoint: "Checkpoint",
  run: "Run",

  // history-panel
  closeHistory: "Close history",
  historyNotLoaded: (message: string) => `The history could not be loaded: ${message}`,
  checkpointGone: "This checkpoint no longer exists.",
  noSteps: "The steps of each run appear here.",
  loadMore: "Load more",
  steps: (count: number) => (count === 1 ? "1 step" : `${count} steps`),
  stepsWithoutChange: (steps: string) => `${steps} without a change`,
  input: "Input",
  edited: "Edited",
  forked: "Forked",
  start: "Start",
  step: "Step",
  waitsForAnAnswer: "waits for an answer",
  endOfTheRun: "end of the run",
  noChange: "no change",

  // opened-thread
  nothingIsLost: "Nothing is lost",
  branchingOffFrom: (codeText: ReactNode) => <>Your next message branches off from checkpoint {codeText}.</>,
  cancel: "Cancel",
  stoppingFailed: (reason: string) => `Stopping failed: ${reason}`,

  // context-form
  settingsNotLoaded: (message: string) => `The settings could not be loaded: ${message}`,
  settingsOf: (name: string) => `Settings of ${name}`,
  save: "Save",
  settingsHint: "For this conversation only. Leave a field empty to use the assistant’s value.",
  context: "Context",
  configuration: "Configuration",

  // thread-settings
  settingsForbidden: "You may not see this assistant’s settings",
  noSettings: "This assistant has no settings",

  // shortcuts
  showOrHideConversations: "Show or hide conversations",
  showThisList: "Show this list",
  sendTheMessage: "Send the message",
  newLine: "New line",
  editLastMessage: "Edit your last message, when the field is empty",
  stopOrClose: "Stop the answer, or close what is open",

  // sidebar
  hideConversations: "Hide conversations",
  search: "Search",
  listNotLoaded: (error: string) => `The list could not be loaded: ${error}`,
  noConversationsMatch: (query: string) => `No conversations match “${query}”.`,
  yourConversationsAppearHere: "Your conversations appear here.",
  showMore: "Show more",
  running: "Running",
  needsYourAnswer: "Needs your answer",
  failed: "Failed",
  actionsFor: (title: string) => `Actions for ${title}`,
  rename: "Rename",
  titleOfTheConversation: "Title of the conversation",
  today: "Today",
  yesterday: "Yesterday",
  previous7Days: "Previous 7 days",
  older: "Older",

  // thread-actions
  actionFailed: (what: string, reason: string) => `${what} failed: ${reason}`,
  renaming: "Renaming",
  deleting: "Deleting",
  deleteThisConversation: "Delete this conversation?",
  cancelDelete: "Cancel",
  delete: "Delete",
  deletesWithItsMessages: (title: string) =>
    `This deletes “${title}” with its messages, files and history, and stops its run. This can’t be undone.`,
} as const;
