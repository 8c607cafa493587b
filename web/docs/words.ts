// What the page of the API says, in one place, so that it can be read in one go.

export const WORDS = {
  // api-document
  other: "Other",
  arrayOf: (schema: string) => `array of ${schema}`,

  // api-request
  theBody: "the body",

  // docs-page
  skipToTheOperations: "Skip to the operations",
  berthApi: "Berth API",
  loading: "Loading",
  descriptionNotLoaded: (message: string) => `The API description could not be loaded: ${message}`,
  tryAgain: "Try again",
  pages: "Pages",
  chat: "Chat",
  console: "Console",
  openapiJson: "openapi.json",
  swaggerUi: "Swagger UI",
  noOperationsMatch: "No operations match.",
  groups: "Groups",
  searchOperations: "Search operations",
  apiKey: "API key",
  apiKeyHint: "Used by requests from this page only, and not stored. Without a key, they use your sign-in.",
  apiKeyHintInSandbox:
    "Used by requests from this page only, and not stored. This page cannot use your sign-in.",
  workspace: "Workspace",
  workspaceHint: "Its id, sent as X-Tenant-Id. Only needed with a key for several workspaces.",

  // operation-detail
  needsNoKey: "Needs no key.",
  body: "Body",
  answers: "Answers",

  // schema-fields
  required: "required",
  defaultOf: (part: string) => `default ${part}`,
  fieldsOf: (name: string) => `Fields of ${name}`,
  less: "Less",
  fields: "Fields",

  // try-it
  tryIt: "Try it",
  bodyOf: (mediaType: string, body: string) => `Body, ${mediaType}${body}`,
  send: "Send",
  stop: "Stop",
  fillIn: (missing: string) => `Fill in ${missing}.`,
  severalHint: " Separate several by commas.",
  copyTheCommand: "Copy the command",
  copied: "Copied",
  copy: "Copy",
  noAnswer: "The server does not answer.",
  answer: "Answer",
  answerTime: (ms: number, mediaType: string) => `${ms} ms${mediaType}`,
  onlyTheBeginning: ", only the beginning",
  fieldOf: (name: string, kind: string, isRequired: boolean) =>
    `${name}, ${kind}${isRequired ? " (required)" : ""}`,
} as const;
