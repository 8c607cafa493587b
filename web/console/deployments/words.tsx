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
  agentsThatThisBerth: "Agents that this Berth builds, runs and keeps running.",
  newDeployment: "New deployment",
  name: "Name",
  findByName: "Find by name",
  nothingIsDeployedYet: "Nothing is deployed yet",
  deployATemplate: (
    <>
      Deploy a template to try it, or your own project: from a git repository, an image, or a folder that you
      drop here. From a terminal, <code>berth deploy</code> does it.
    </>
  ),
  deployAnAgent: "Deploy an agent",
  noDeploymentsMatch: "No deployments match",
  changeTheFilters: "Change the filters to see others.",

  // environment-tab
  theValuesCant:
    "The values can’t be read, because the key that encrypted them is lost. Enter each of them again: the deployment does not run until then.",
  savedANewRevision: "Saved. A new revision is on its way.",
  encryptedAndNeverShown:
    "Encrypted, and never shown again. Each revision keeps the values that it was made with.",
  nothingIsSetAdd:
    "Nothing is set. Add API keys and other secrets here: the deployment gets them as environment variables.",
  savingMakesANew: "Saving makes a new revision.",
  savingMakesANewRevision: (changes: string) => `${changes}. Saving makes a new revision.`,
  discard: "Discard",
  saveAndDeploy: "Save and deploy",
  addAVariable: "Add a variable",
  nameOrPaste: "NAME, or paste a .env",
  theNewVariable: "the new variable",
  valueOf: (name: string) => `Value of ${name}`,
  staysAs: "•••••••• stays as it is",
  keep: (name: string) => `Keep ${name}`,
  thisVariable: "this variable",
  remove: (name: string) => `Remove ${name}`,

  // access-field
  access: "Access",
  aPrivateRepositoryOver: "A private repository over https needs a personal token.",
  publicOrOverSsh: "Public, or over SSH",
  anotherToken: "Another token…",
  token: "Token",
  encryptedAndNeverShownGive: "Encrypted, and never shown. Give it no more access than the deployment needs.",

  // drop-zone
  whatToUpload: "What to upload",
  chooseAFolder: "Choose a folder",
  chooseAFile: "Choose a file",
  chooseATarGz: "Choose a .tar.gz",
  dropTheArchive: "Drop the archive of an image here",
  dropYourProjectsFolder: "Drop your project’s folder here",
  asDockerSave: "As docker save or podman save writes it, plain or gzip.",
  itIsPacked: "It is packed in this browser. node_modules, .git and files with secrets stay behind.",
  leftBehind: (leftOut: string) => `Left behind: ${leftOut}`,

  // new-deployment
  chooseATemplate: "Choose a template.",
  enterTheAddress: "Enter the address of the repository.",
  enterTheToken: "Enter the token, or choose another access.",
  dropYourProject: "Drop your project, or choose it.",
  enterTheName: "Enter the name of the image.",
  enterTheNameOf: "Enter the name of the image, or drop its archive.",
  enterAName: "Enter a name.",
  aNameHasUp: "A name has up to 100 letters, digits, - and _, and begins with a letter or digit.",

  // source-inputs
  configurationFile: "Configuration file",
  thePathOfGraph: "The path of graph.json (or langgraph.json) in it.",
  image: "Image",
  asTheContainerEngine:
    "As the container engine of this machine knows or finds it: my-agent, ghcr.io/me/agent:1.2",
  asTheContainerEngineOf: "As the container engine of this machine finds it: ghcr.io/me/agent:1.2",
  addressOfTheRepository: "Address of the repository",
  httpsOrSshWith: "https://…, or ssh://… with the SSH keys of the user that runs Berth.",
  branch: "Branch",
  emptyTheRepositorysDefault: "Empty: the repository’s default branch. A tag is refs/tags/<tag>.",
  aPush: "A push to the branch makes a revision (the settings then say what the repository’s webhook needs)",
  template: "Template",

  // upload-dialog
  aNewVersion: (name: string) => `A new version of ${name}`,
  cancel: "Cancel",
  uploadAndDeploy: "Upload and deploy",
  packing: (spinner: ReactNode) => <>{spinner} Packing…</>,
  sending: (percent: number) => `Sending, ${percent} %`,
  packedItHasBytes: (size: number, mostBytes: number) =>
    `Packed, it has ${size} bytes. At most ${mostBytes} are allowed.`,
  theUploadBrokeOff: "The upload broke off. Try again.",
  theUploadWasRefused: "The upload was refused.",

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
  only: (value: string, toLowerCase: string) => `${value}${toLowerCase} only`,
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
  noLinesMatchNew: "No lines match. New ones appear here as they are written.",
  noOutputYetNew: "No output yet. New lines appear here as they are written.",
  theBuildHasNo: "The build has no output yet.",
  templatesAndImagesNeed: "Templates and images need no build, so there is no build log.",

  // new-deployment-screen
  anAgentThatComes: "An agent that comes with Berth.",
  upload: "Upload",
  aFolder: "A folder on this computer.",
  gitRepository: "Git repository",
  builtHereOnEach: "Built here, on each push if you like.",
  aContainerByName: "A container, by name or archive.",
  aContainer: "A container, by its name.",
  whatDoYouWant: "What do you want to deploy?",
  whereItComes: "Where it comes from",
  apiKeysAndOther: "API keys and other secrets. Encrypted, and never shown again.",
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
  timeToTheFirst: "Time to the first byte",
  noRequestsThrough: "No requests through the gateway in this time.",
  answeredWithAnError: (requests: number, errors: number) =>
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
  runsTheBuild: (name: string, number: number) =>
    `${name} runs the build of revision ${number} again, with the environment that it had. The current revision serves until that one answers. Threads and memory stay as they are.`,

  // rollout
  keepsCrashing: "Keeps crashing",
  steps: "Steps",
  underWay: "under way",
  notYet: "not yet",
  talkTo: "Talk to it",
  itIsServingNow: (chat: ReactNode) => <>It is serving now. {chat}</>,
  noReasonWasGiven: "No reason was given.",
  nothingIsServingYet: "Nothing is serving yet. Fix it and deploy again.",
  itServesWhileIt: "It serves while it is up. Fix it and deploy again.",
  theRevisionBeforeKeeps:
    "The revision before keeps serving. Fix this one and deploy again, or leave it as it is.",
  itWaits: "It waits for its archive: upload one with “New version”.",
  itWaitsForAn: "It waits for an image: name one in the settings.",
  itWaitsForIts: "It waits for its turn.",
  noOutputYet: "No output yet.",
  prepare: "Prepare",
  start: "Start",
  serve: "Serve",

  // secret-rows
  added: (added: number) => `${added} added`,
  changed: (changed: number) => `${changed} changed`,
  removed: (removed: number) => `${removed} removed`,
  isThereTwice: (twice: string) => `${twice} is there twice.`,
  isNotTheName: (odd: string) =>
    `${odd} is not the name of a variable. Use letters, digits and _, and no digit first.`,
  aValue: "A value has no name.",

  // settings-tab
  deleteShort: "Delete",
  thisAlsoDeletes: "This also deletes its threads, memory, builds and logs. This can’t be undone.",
  wasDeleted: (name: string) => `${name} was deleted.`,
  deleteNamed: (name: string) => `Delete ${name}?`,
  itStopsAnsweringAt:
    "It stops answering at once, and its address is gone for good. Its threads, memory, builds and logs are deleted. Its traces and issues stay as long as others do. This can’t be undone.",
  deleteTheDeployment: "Delete the deployment",
  processors: "Processors",
  processorsAtMost: "Processors, at most",
  memoryMb: "Memory, MB",
  memoryAtMostMb: "Memory, at most, MB",
  resources: "Resources",
  withoutALimitTwiceThe: "Without a limit: twice the amount. All empty: as much as the machine has.",
  deployOnPush: "Deploy on push",
  aWebhook: "A webhook of the repository, for the event “push”, as application/json.",
  address: "Address",
  secret: "Secret",
  copyTheSecret: "Copy the secret",
  showAddressAndSecret: "Show address and secret",
  itHasANew: "It has a new secret.",
  newSecret: "New secret",
  newSecretQuestion: "Make a new secret?",
  pushesThatAreSignedWith:
    "Pushes that are signed with the current secret are refused until the webhook of the repository has the new one.",
  makeANewSecret: "Make a new secret",

  // source-form
  source: "Source",
  requireAnApiKey: "Require an API key, also if the project has its own auth (takes effect at once)",
  aNewBranchPath:
    "A new branch, path, image or template makes a new revision. A new address or command takes effect with the next revision.",
  save: "Save",
  aName: "A name that the container engine of this machine knows or finds.",
  orRefsTagsOr: "Or refs/tags/<tag>, or the full id of a commit.",
  thePathOfGraphJson: "The path of graph.json in the source.",
  installCommand: "Install command",
  emptyBunInstallExactly: "Empty: bun install, exactly as in the lock file.",
  buildCommand: "Build command",
  runsAfterThePackages: "Runs after the packages are installed.",
  aPushToThe: "A push to the branch makes a revision",
  saved: "Saved",
  value: "value",
  files: (count: number) => (count === 1 ? "1 file" : `${count} files`),

  // revision-table
  nothingToDeployYet: "Nothing to deploy yet",
} as const;
