// What is said around every screen, in one place, so that it can be read in one go.

export const WORDS = {
  // command-palette
  goToOrDo: "Go to, or do…",
  placesAndActions: "Places and actions",
  kindsFound: "Run, thread, deployment, issue …",
  open: (id: string) => `Open ${id}`,
  idNotFound: "Nothing here has this id.",
  onThisScreen: "On this screen",
  deployment: "Deployment",
  issue: "Issue",
  workspace: "Workspace",
  rollBack: (name: string) => `Roll back ${name}`,
  chooseARevision: "Choose a revision",
  newDeployment: "New deployment",
  signOut: "Sign out",
  openTheChat: "Open the chat",
  paletteHint: "Go to a screen, deployment, issue or id, or do something",
  showThisList: "Show this list",
  closeWhatIsOpen: "Close what is open",

  // current-screen
  pageNotFound: "Page not found",
  deletedOrWrongAddress: "It may have been deleted, or the address is wrong.",
  toTheOverview: "To the overview",

  // frame
  skipToTheContent: "Skip to the content",
  navigation: "Navigation",
  mayBeOld: "What you see may be old",

  // header
  showTheNavigation: "Show the navigation",
  workspaceLabel: "The workspace",
  goTo: "Go to…",
  project: "Project",
  deployments: "Deployments",

  // navigation
  console: "Console",
  berth: "Berth",
  hideTheNavigation: "Hide the navigation",
  chat: "Chat",
  apiReference: "API reference",
  keyboardShortcuts: "Keyboard shortcuts",
  signingOutFailed: "Signing out failed. Try again in a moment.",
  goKeys: (key: string) => `G ${key}`,
} as const;
