// What a list of changes says, in one place, so that it can be read in one go.

export const WORDS = {
  // change-list
  nothingChanged: "Nothing changed in the state.",
  wholeState: "state",
} as const;
