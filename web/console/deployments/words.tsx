import type { ReactNode } from "react";

// What the screens of deployments say, in one place, so that it can be read in one go.

export const WORDS = {
  // deployment-screen
  overview: "Overview",
  revisions: "Revisions",
  logs: "Logs",
  environment: "Environment",
  settings: "Settings",
  deployments: "Deployments",
  deployment: "Deployment",
  newVersion: "New version",
  deployAgain: "Deploy again",
  studio: "Studio",
  openChat: "Open chat",
  buildTheSameAgain: "Build the same again",
  moreActions: "More actions",
  delete: "Delete…",

  // deployments-screen
  ready: "Ready",
  notReadyYet: "Not ready yet",
  beingDeleted: "Being deleted",
  state: "State",
  requestsLastHour: "Requests, last hour",
  errors: "Errors",
  memory: "Memory",
  deploymentsNote: "Agents that this Berth builds, runs and keeps running.",
  newDeployment: "New deployment",
  name: "Name",
  findByName: "Find by name",
  nothingIsDeployedYet: "Nothing is deployed yet",
  nothingDeployedHint: (
    <>
      Deploy a template to try it, or your own project: from a git repository, an image, or a folder that you
      drop here. From a terminal, <code>berth deploy</code> does it.
    </>
  ),
  deployAnAgent: "Deploy an agent",
  noDeploymentsMatch: "No deployments match",
  changeFilters: "Change the filters to see others.",

  // environment-tab
  valuesLost:
    "The values can’t be read, because the key that encrypted them is lost. Enter each of them again: the deployment does not run until then.",
  savedWithRevision: "Saved. A new revision is on its way.",
  environmentNote: "Encrypted, and never shown again. Each revision keeps the values that it was made with.",
  nothingSet:
    "Nothing is set. Add API keys and other secrets here: the deployment gets them as environment variables.",
  savingNote: "Saving makes a new revision.",
  savingChangesNote: (changes: string) => `${changes}. Saving makes a new revision.`,
  discard: "Discard",
  saveAndDeploy: "Save and deploy",
  addAVariable: "Add a variable",
  namePlaceholder: "NAME, or paste a .env",
  theNewVariable: "the new variable",
  valueOf: (name: string) => `Value of ${name}`,
  valuePlaceholder: "•••••••• stays as it is",
  keep: (name: string) => `Keep ${name}`,
  thisVariable: "this variable",
  remove: (name: string) => `Remove ${name}`,

  // access-field
  access: "Access",
  accessHint: "A private repository over https needs a personal token.",
  publicOrOverSsh: "Public, or over SSH",
  anotherToken: "Another token…",
  token: "Token",
  tokenHint: "Encrypted, and never shown. Give it no more access than the deployment needs.",

  // archive
  dropAFolder: "Drop a folder, or a .tar.gz of one.",
  nothingChosen: "Nothing was chosen.",
  noFilesToDeploy: (name: string) => `There are no files in ${name} that could be deployed.`,

  // drop-zone
  whatToUpload: "What to upload",
  chooseAFolder: "Choose a folder",
  chooseAFile: "Choose a file",
  chooseATarGz: "Choose a .tar.gz",
  dropTheArchive: "Drop the archive of an image here",
  dropYourProjectsFolder: "Drop your project’s folder here",
  archiveHint: "As docker save or podman save writes it, plain or gzip.",
  folderHint: "It is packed in this browser. node_modules, .git and files with secrets stay behind.",
  leftBehind: (leftOut: string) => `Left behind: ${leftOut}`,

  // new-deployment
  chooseATemplate: "Choose a template.",
  enterTheAddress: "Enter the address of the repository.",
  enterTheToken: "Enter the token, or choose another access.",
  dropYourProject: "Drop your project, or choose it.",
  enterImage: "Enter the name of the image.",
  enterImageOrArchive: "Enter the name of the image, or drop its archive.",
  enterAName: "Enter a name.",
  nameRule: "A name has up to 100 letters, digits, - and _, and begins with a letter or digit.",

  // source-inputs
  configurationFile: "Configuration file",
  configurationHint: "The path of graph.json (or langgraph.json) in it.",
  image: "Image",
  imageHint: "As the container engine of this machine knows or finds it: my-agent, ghcr.io/me/agent:1.2",
  foundImageHint: "As the container engine of this machine finds it: ghcr.io/me/agent:1.2",
  addressOfTheRepository: "Address of the repository",
  repositoryHint: "https://…, or ssh://… with the SSH keys of the user that runs Berth.",
  branch: "Branch",
  branchHint: "Empty: the repository’s default branch. A tag is refs/tags/<tag>.",
  deployOnPushAndHook:
    "A push to the branch makes a revision (the settings then say what the repository’s webhook needs)",
  template: "Template",

  // upload-dialog
  aNewVersion: (name: string) => `A new version of ${name}`,
  cancel: "Cancel",
  uploadAndDeploy: "Upload and deploy",
  packing: (spinner: ReactNode) => <>{spinner} Packing…</>,
  sending: (percent: number) => `Sending, ${percent} %`,
  archiveTooLarge: (size: number, mostBytes: number) =>
    `Packed, it has ${size} bytes. At most ${mostBytes} are allowed.`,
  uploadBroken: "The upload broke off. Try again.",
  uploadRefused: "The upload was refused.",

  // instances
  whereItRuns: "Instances",
  instances: "Instances",
  noInstancesRunNow: "No instances run now.",
  place: "Place",
  revision: "Revision",
  restarts: "Restarts",
  created: "Created",

  // log-lines
  showEarlierLines: "Show earlier lines",
  newest: "Newest",
  info: "info",

  // logs-tab
  onlyLevel: (value: string, toLowerCase: string) => `${value}${toLowerCase} only`,
  buildLog: "Build log",
  runTimeLog: "Run-time log",
  log: "Log",
  output: "Output",
  build: "Build",
  allRevisions: "All revisions",
  revisionNumber: (number: number) => `Revision ${number}`,
  search: "Search",
  searchTheLines: "Search the lines",
  level: "Level",
  downloadLog: "Download",
  live: "Live",
  notLive: "Not live",
  noLinesMatch: "No lines match. New ones appear here as they are written.",
  noOutputSoFar: "No output yet. New lines appear here as they are written.",
  noBuildOutput: "The build has no output yet.",
  noBuildNeeded: "Templates and images need no build, so there is no build log.",

  // new-deployment-screen
  templateHint: "An agent that comes with Berth.",
  upload: "Upload",
  uploadHint: "A folder on this computer.",
  gitRepository: "Git repository",
  gitHint: "Built here, on each push if you like.",
  imageOrArchiveHint: "A container, by name or archive.",
  imageOnlyHint: "A container, by its name.",
  whatDoYouWant: "What do you want to deploy?",
  sourceLabel: "Where it comes from",
  environmentHint: "API keys and other secrets. Encrypted, and never shown again.",
  itWasNotDeployed: "It was not deployed",
  deploy: "Deploy",

  // overview
  noAddressYet: "No address yet: no revision is serving.",
  latestChange: "Latest change",
  addressForClients: "Address for clients",
  copyTheAddress: "Copy the address",
  id: "Id",
  copyTheId: "Copy the id",
  lastHour: "Last hour",
  last6Hours: "Last 6 hours",
  lastDay: "Last day",
  timeRange: "Time range",
  traffic: "Traffic",
  requestsAndErrors: "Requests and errors by minute",
  requests: "Requests",
  firstByteTime: "Time to the first byte",
  noRequests: "No requests through the gateway in this time.",
  requestsAndErrorsCount: (requests: number, errors: number) =>
    `${requests} ${requests === 1 ? "request" : "requests"}, ${errors} answered with an error.`,

  // revision-table
  createdAt: "Created",
  duration: "Duration",
  actions: "Actions",
  serving: "Serving",
  againBy: (creator: string, deployer: string) => `${creator}, again by ${deployer}`,
  by: (text: string) => `By ${text}`,
  defaultBranch: "default branch",
  revisionIsBeingStopped: (number: number) => `Revision ${number} is being stopped.`,
  interrupt: "Interrupt",
  restart: "Restart",
  rollBack: "Roll back",
  goBackToRevision: (number: number) => `Go back to revision ${number}?`,
  rollBackNote: (name: string, number: number) =>
    `${name} runs the build of revision ${number} again, with the environment that it had. The current revision serves until that one answers. Threads and memory stay as they are.`,

  // rollout
  keepsCrashing: "Keeps crashing",
  steps: "Steps",
  underWay: "under way",
  notYet: "not yet",
  talkToIt: "Talk to it",
  itIsServingNow: (chat: ReactNode) => <>It is serving now. {chat}</>,
  noReasonWasGiven: "No reason was given.",
  nothingIsServingYet: "Nothing is serving yet. Fix it and deploy again.",
  servesWhileUp: "It serves while it is up. Fix it and deploy again.",
  beforeKeepsServing:
    "The revision before keeps serving. Fix this one and deploy again, or leave it as it is.",
  waitsForArchive: "It waits for its archive: upload one with “New version”.",
  waitsForImage: "It waits for an image: name one in the settings.",
  waitsForTurn: "It waits for its turn.",
  noOutputYet: "No output yet.",
  prepare: "Prepare",
  start: "Start",
  serve: "Serve",

  // secret-rows
  added: (added: number) => `${added} added`,
  changed: (changed: number) => `${changed} changed`,
  removed: (removed: number) => `${removed} removed`,
  nameTwice: (twice: string) => `${twice} is there twice.`,
  notAName: (odd: string) =>
    `${odd} is not the name of a variable. Use letters, digits and _, and no digit first.`,
  valueWithoutName: "A value has no name.",

  // settings-tab
  deleteShort: "Delete",
  deleteNote: "This also deletes its threads, memory, builds and logs. This can’t be undone.",
  wasDeleted: (name: string) => `${name} was deleted.`,
  deleteNamed: (name: string) => `Delete ${name}?`,
  deleteQuestionNote:
    "It stops answering at once, and its address is gone for good. Its threads, memory, builds and logs are deleted. Its traces and issues stay as long as others do. This can’t be undone.",
  deleteTheDeployment: "Delete the deployment",
  processors: "Processors",
  processorsAtMost: "Processors, at most",
  memoryMb: "Memory, MB",
  memoryAtMostMb: "Memory, at most, MB",
  resources: "Resources",
  limitHint: "Without a limit: twice the amount. All empty: as much as the machine has.",
  deployOnPush: "Deploy on push",
  repositoryHook: "A webhook of the repository, for the event “push”, as application/json.",
  address: "Address",
  secret: "Secret",
  copyTheSecret: "Copy the secret",
  showAddressAndSecret: "Show address and secret",
  hasNewSecret: "It has a new secret.",
  newSecret: "New secret",
  newSecretQuestion: "Make a new secret?",
  newSecretNote:
    "Pushes that are signed with the current secret are refused until the webhook of the repository has the new one.",
  makeANewSecret: "Make a new secret",

  // source-form
  source: "Source",
  requireAnApiKey: "Require an API key, also if the project has its own auth (takes effect at once)",
  sourceNote:
    "A new branch, path, image or template makes a new revision. A new address or command takes effect with the next revision.",
  save: "Save",
  localImageHint: "A name that the container engine of this machine knows or finds.",
  tagHint: "Or refs/tags/<tag>, or the full id of a commit.",
  configurationInSourceHint: "The path of graph.json in the source.",
  installCommand: "Install command",
  installHint: "Empty: bun install, exactly as in the lock file.",
  buildCommand: "Build command",
  buildHint: "Runs after the packages are installed.",
  deployOnPushText: "A push to the branch makes a revision",
  saved: "Saved",
  value: "value",
  files: (count: number) => (count === 1 ? "1 file" : `${count} files`),

  // revision-table
  nothingToDeployYet: "Nothing to deploy yet",
} as const;

/** What a person can do there, for docs/console.md, and the page that says more. */
export const ABOUT = {
  deployments: {
    page: "deploy.md",
    does: "deploy a template, a repository, an image or a dropped folder; follow logs and save them as a text (the newest 50,000 lines), change environment and settings, see its instances, redeploy, roll back, delete",
  },
} as const;
