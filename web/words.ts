// What the way in says, in one place, so that it can be read in one go.

export const WORDS = {
  // main
  loading: "Loading",
  deploymentNotFound: "Deployment not found",
  itWasDeleted: "It was deleted, or the address is wrong. Its conversations are gone with it.",
  toTheConsole: "To the console",

  // sign-in
  thisServerAsks: "This server asks for an API key. The browser keeps a session, never the key.",
  apiKey: "API key",
  thisKey: "This key is not valid, or was revoked.",
  thisServerAsksForYourToken:
    "This server asks for your token. The browser keeps it where no page can read it.",
  token: "Token",
  thisToken: "This token is not valid.",
  signInBerth: "Sign in · Berth",
  signInToBerth: "Sign in to Berth",
  signingIn: "Signing in…",
  signIn: "Sign in",
} as const;
