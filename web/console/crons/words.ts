// What the screen of crons says, in one place, so that it can be read in one go.

export const WORDS = {
  // cron-dialog
  cronCreated: "The cron was created.",
  newCron: "New cron",
  create: "Create",
  assistant: "Assistant",
  input: "Input",
  inputHint: "The input of each run, as JSON.",
  thread: "Thread",
  threadHint: "Empty: a new thread for each run.",
  until: "Until",
  untilHint: "Empty: no end.",
  keepThreads: "Keep each run’s thread, to read it afterwards",
  schedule: "Schedule",
  scheduleHint: "Minute, hour, day of the month, month, day of the week.",
  timeZone: "Time zone",

  // crons-screen
  enabled: "Enabled",
  disabled: "Disabled",
  crons: "Crons",
  ownCronsNote: "Runs that this Berth’s own project starts on a schedule.",
  cronsNote: (name: string) => `Runs that ${name} starts on a schedule.`,
  state: "State",
  noCronsYet: "No crons yet",
  noCronsMatch: "No crons match",
  noCronsHint: "A cron starts runs on a schedule: a summary each day, a look at a mailbox each hour.",
  chooseAnotherState: "Choose another state to see others.",
  scheduleColumn: "Schedule",
  next: "Next",
  last: "Last",
  created: "Created",
  actions: "Actions",
  untilDay: (day: string) => ` · until ${day}`,
  none: "none",
  never: "never",
  turnedOff: "The cron is off.",
  turnedOn: "The cron is on. It runs at its next time.",
  showItsThread: "Show its thread",
  enabledNamed: (words: string) => `Enabled: ${words}`,
  actionsFor: (words: string) => `Actions for: ${words}`,
  delete: "Delete…",
  deleteThisCron: "Delete this cron?",
  deleteNote: (words: string) => `“${words}” starts no more runs. Runs that it has started go on.`,
  cronDeleted: "The cron was deleted.",
  deleteIt: "Delete",
  utc: "UTC",
  switchedOff: "disabled",
} as const;

/** What a person can do there, for docs/console.md, and the page that says more. */
export const ABOUT = {
  crons: {
    does: "see when crons ran and run next, change and create them",
  },
} as const;
