import { type Ask, rule } from "./permit.ts";

/** Its messages ask for the rest. */
const talk: Ask = async (guard, { path, query }) => {
  const assistantId = path.assistant_id ?? query.assistant_id;
  if (typeof assistantId === "string") await guard.runnable(assistantId);
  return {};
};

/** For everybody who was let in. */
export const anybody = rule("any", "any", async () => ({}));

/** What it does is in its messages: it asks for each by itself. */
export const asksItself = rule("any", "each message", async () => ({}));

/** It talks to an assistant. */
export const talksToAssistant = rule("assistants", "read", talk);
