import type { ReactNode } from "react";

// What the screen of the system says, in one place, so that it can be read in one go.

export const WORDS = {
  // members
  process: "Process",
  processOfHost: (host: string, pid: number) => `${host}, process ${pid}`,
  role: "Role",
  version: "Version",
  runningRuns: "Running runs",
  started: "Started",
  lastSeen: "Last seen",
  answersThisPage: "answers this page",
  berths: "Berths",
  processesOnThisDatabase: "Processes on this database",

  leads: " (leads)",

  // retention-preview
  what: "What",
  keptFor: "Kept for",
  setBy: "Set by",
  fixed: "fixed",
  rows: "Rows",
  dueNow: "Due now",
  dueWithinADay: "Due within a day",
  orMore: (mostCounted: string) => `${mostCounted} or more`,
  whatIsDeletedWhen: "What is deleted when",
  retentionNote: "Berth deletes what is due by itself, a little at a time.",
  retention: "Retention",
  deletedIn: (removed: string, duration: string) => `${removed} deleted in ${duration}`,
  deleteNow: "Delete now",
  deleteWhatIsDue: "Delete what is due now?",
  deleteNote: (count: string) =>
    `About ${count} rows are deleted for good. Berth would delete them by itself, too.`,
  delete: "Delete",

  // system-facts
  data: "Data",
  work: "Work",
  upFor: "Up for",
  memory: "Memory",
  memoryOfDeployments: "Memory of deployments",
  deployments: "Deployments",
  instances: "Instances",
  backups: "Backups",
  schedule: "Schedule (UTC)",
  backupState: "State",
  failingSince: (ago: ReactNode) => <>failing since {ago}</>,
  lastBackup: "Last backup",
  backupOf: (ago: ReactNode, bytes: string, leftOut: number) => (
    <>
      {ago}, {bytes}
      {leftOut > 0 && `, without ${leftOut} ${leftOut === 1 ? "file" : "files"}`}
    </>
  ),
  lastFailure: "Last failure",
  failureOf: (ago: ReactNode, reason: string) => (
    <>
      {ago}: {reason}
    </>
  ),
  database: "Database",
  writeAheadLog: "Write-ahead log",
  file: "File",
  migrations: "Migrations",
  waitingRuns: "Waiting runs",
  waitingDeliveries: "Waiting deliveries",
  deliveriesBeingSent: "Deliveries being sent",
  failedDeliveries: "Failed deliveries",
  webhooks: "Webhooks",
  activeFailing: (active: number, failing: number) => `${active} active, ${failing} failing`,
  tracesNotScannedYet: "Traces not scanned yet",
  lastScan: "Last scan",
  theirThreadsHaveRuns: "their threads have runs",
  allSlotsAreTaken: "all slots are taken",
  theProcessIsBusy: "the process is busy, so it takes fewer runs at once",
  memoryIsShort: "memory is short, so it takes fewer runs at once",
  processTakesNone: "this process takes no runs",
  startingLater: (later: number) => ` (and ${later} that start later)`,
  waitingSince: (isLater: string, ago: ReactNode, why: string) => (
    <>
      {isLater}, since {ago}: {why}
    </>
  ),
  noneYet: "none yet",
  freeOnDisk: (free: string, total: string) => `${free} of ${total} are free on the disk`,
  diskNote: (label: string, bytes: string) => `${label}; this database takes ${bytes}.`,

  migrationsUpTo: (applied: number, latest: string) => `${applied}, up to ${latest}`,
  noMigration: "none",
  countOf: (count: number, most: number) => `${count} of ${most}`,
  waitingAndDue: (count: number, due: number) => (count === 0 ? "0" : `${count}, ${due} of them due now`),

  // system-screen
  now: "Now",
  doctor: "Doctor",
  system: "System",
  berth: (version: string) => `Berth ${version}`,
  bun: (bun: string) => `Bun ${bun}`,
  processNumber: (pid: number) => `process ${pid}`,
  keyNeeded:
    "This page is about the whole server, so it needs a key for all workspaces. Sign in with SERVICE_API_KEY, or with a key made with --scope organization.",
  checkingTheServer: "Checking the server",
  checkedIn: (ago: ReactNode, duration: string) => (
    <>
      Checked {ago}, in {duration}. In a terminal: <code>berth doctor</code>
    </>
  ),
  checking: "Checking…",
  checkAgain: "Check again",
  allIsWell: "All is well",
  worthALook: "Worth a look",
  somethingIsWrong: "Something is wrong",
  heldBy: "Held by",
  thisProcess: "this process",
  count: "Count",
  until: "Until",
  runs: "Runs",
  scansForIssues: "Scans for issues",
  webhookDeliveries: "Webhook deliveries",
  leases: "Leases",
  leasesLabel: "Which process holds which work",
  noLeases: "No leases",
  noLeasesHint: "Leases appear while runs, scans or deliveries are under way.",
} as const;

/** What a person can do there, for docs/console.md, and the page that says more. */
export const ABOUT = {
  system: {
    page: "operations.md",
    does: "see version, database, queue, leases, disk and backups; what `berth doctor` finds; what is deleted when, and delete it now",
  },
} as const;
