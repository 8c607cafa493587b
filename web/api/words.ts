// What is said of a request, in one place, so that it can be read in one go.

export const WORDS = {
  noAnswer: "The server does not answer.",
} as const;
