import type { ReactNode } from "react";

// What the overview says, in one place, so that it can be read in one go.

export const WORDS = {
  // broken
  problems: "Problems",
  allOpenIssues: "All open issues",
  nothingIsBroken: "Nothing is broken: no open issue, no failed revision, no failing webhook.",
  keepsCrashing: "Keeps crashing",

  // home-screen
  overview: "Overview",
  newDeployment: "New deployment",
  waitsForThread: "for a run of their thread",
  waitsForSlot: "for a free slot",
  waitsForServer: "for this server, which is busy",
  waitsForMemory: "for memory",
  waitsForProcess: "for a process that takes runs",
  waitingHere: "Waiting",
  failedDeliveries: "Failed deliveries",
  runningNow: "Running now",
  runsLastHour: "Runs, last hour",
  failed: "Failed",
  p95Latency: "p95 latency",
  costLastHour: "Cost, last hour",
  andUnknownPrices: "and unknown prices",
  whatChanged: "What changed",
  serving: "Serving",

  // runs-here
  deployment: "Deployment",
  state: "State",
  requests: "Requests",
  errors: "Errors",
  actions: "Actions",
  whatRuns: "What runs",
  allDeployments: (total: number) => `All ${total} deployments`,
  deployments: "Deployments",
  nothingIsDeployedYet: "Nothing is deployed yet.",
  deploySomething: "Deploy an agent",
  servedByThisBerth: "served by this Berth itself",
  runs: "Runs",
  issues: "Issues",
  chat: (externalLink: ReactNode) => <>Chat {externalLink}</>,
  chatLabel: "Chat",
  goesBackToRevision: (name: string, number: number) => `${name} goes back to revision ${number}`,
  rollBack: "Roll back",
  rollBackNamed: (name: string) => `Roll ${name} back?`,
  rollBackNote: (number: number, ago: ReactNode) => (
    <>
      Revision {number}, made {ago}, serves again, with the secrets that it had. Nothing is built, and no
      request is lost while it takes over.
    </>
  ),
  goBack: (number: number) => `Go back to #${number}`,
  traces: (count: number) => (count === 1 ? "1 trace" : `${count} traces`),
} as const;

/** What a person can do there, for docs/console.md, and the page that says more. */
export const ABOUT = {
  home: {
    does: "see how many runs of all projects are under way, ended and failed in the last hour, and what they cost; deployments with their state and traffic, open issues, failed revisions and those that keep crashing, failing webhooks and the last changes; roll a deployment back",
  },
} as const;
