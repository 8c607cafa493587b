// What the console says of a deployment, an issue and a webhook wherever it shows one, in one place, so that it can be read in
// one go. The names of its screens are in `screens.tsx`.
import type { Subscription } from "@berth/server";
// Made by `bun tests/docs/main.ts` from `store/issues/event-types.ts`.
import whenSent from "./webhook-events.json";

export const WORDS = {
  // place
  thisBerthsProject: "This Berth’s project",
  inWorkspace: (name: string) => `This is in the workspace ${name}`,

  // deployment
  serving: "Serving",
  keepsCrashing: (number: number) => `Keeps crashing #${number}`,
  asleep: (number: number) => `Asleep #${number}`,
  servingRevision: (number: number) => `Serving #${number}`,
  waitingForAnUpload: "Waiting for an upload",
  waitingForAnImage: "Waiting for an image",
  requestsLastHour: (requests: number) => `${requests} requests in the last hour`,
  template: "Template",
  gitRepository: "Git repository",
  upload: "Upload",
  image: "Image",
  noImageYet: "no image yet",

  // issue
  merged: "Merged",
  fixedInTheNext: "Fixed in the next revision",
  regression: "Regression",
  urgent: "Urgent",
  high: "High",
  medium: "Medium",
  low: "Low",
  fixed: "Fixed",
  wontFix: "Won’t fix",
  notAnIssue: "Not an issue",
  exception: "Exception",
  toolError: "Tool error",
  recursionLimit: "Recursion limit",
  loop: "Loop",
  timeout: "Timeout",
  cutOffAnswer: "Cut-off answer",
  emptyAnswer: "Empty answer",
  negativeFeedback: "Negative feedback",
  slowRun: "Slow run",
  tooManyTokens: "Too many tokens",
  forGood: "for good",
  allProjects: "All projects",
  anotherProject: "Another project",

  // main
  loading: "Loading",

  // webhook
  to: "To",
  aDeletedWebhook: "A deleted webhook",
  event: "Event",
  state: "State",
  attempts: "Attempts",
  created: "Created",
  whyNot: "Why not",
  everySeverity: "Every severity",
  urgentOnly: "Urgent only",
  severityAndWorse: (severityName: string) => `${severityName} and worse`,
} as const;

/** When each event that a webhook can ask for is sent. */
export const WHEN_SENT: Readonly<Record<Subscription["event_types"][number], string>> = whenSent;
