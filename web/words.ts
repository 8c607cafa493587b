// What the way in says, in one place, so that it can be read in one go.

export const WORDS = {
  // main
  loading: "Loading",
  deploymentNotFound: "Deployment not found",
  deploymentGone: "It was deleted, or the address is wrong. Its conversations are gone with it.",
  toTheConsole: "To the console",

  // sign-in
  askForApiKey: "This server asks for an API key. The browser keeps a session, never the key.",
  apiKey: "API key",
  invalidApiKey: "This key is not valid, or was revoked.",
  askForToken: "This server asks for your token. The browser keeps it where no page can read it.",
  token: "Token",
  invalidToken: "This token is not valid.",
  pageTitle: "Sign in · Berth",
  heading: "Sign in to Berth",
  signingIn: "Signing in…",
  signIn: "Sign in",
} as const;
