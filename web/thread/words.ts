// What is said of the way to a thread, in one place, so that it can be read in one go.

export const WORDS = {
  connectionLost: "The connection was lost.",
  noAnswer: "The server does not answer.",
  signedOut: "You are signed out.",
  conversationDeleted: "This conversation was deleted.",
  mayHaveArrived:
    "The connection broke while this was being sent. It may have arrived: look before you send it again.",
  noRunNamed: "The server did not say which run it started.",
  runTookTooLong: "The run took too long.",
  runFailed: "The run failed.",
  noReasonGiven: "The server gave no reason.",
  argumentsNotJson: "The arguments are not JSON",
  unknownMethod: (method: string) => `This server knows no ${method}.`,
  noAssistant: "This server has no assistant to talk to.",
} as const;
