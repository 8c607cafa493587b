// What is said of where conversations come from, in one place, so that it can be read in one go.

export const WORDS = {
  otherServerLacks:
    "This deployment is another LangGraph server. Not here: ratings, what subagents do while they work, the part of " +
    "an answer that you stop, and runs that others start, until you come back to this page.",
  newConversation: "New conversation",
} as const;
