import { Denied } from "@berth/store";
import type { Guard } from "./guard.ts";
import type { Asked, Permit, Rule } from "./permit.ts";
import { assistantRules, storeRules } from "./resource-rules.ts";
import { runRules } from "./run-rules.ts";
import { threadRules } from "./thread-rules.ts";

/** For everybody who was let in. */
const anybody: Rule = async () => ({});
/** What these do is in their messages: they ask for each by themselves. */
const asksItself = anybody;

/** Its messages ask for the rest. */
const talksToAssistant: Rule = async (guard, { path, query }) => {
  const assistantId = path.assistant_id ?? query.assistant_id;
  if (typeof assistantId === "string") await guard.runnable(assistantId);
  return {};
};

const RULES = new Map<string, Rule>(
  Object.entries({
    "GET /info": anybody,
    "GET /metrics": anybody,
    "GET /docs": anybody,
    "GET /docs/:file": anybody,
    "GET /openapi.json": anybody,
    "POST /internal/truncate": anybody,
    "POST /ui/:graph_id": anybody,
    "GET /ui/:graph_id/:file": anybody,
    "POST /threads/:thread_id/commands": asksItself,
    "POST /api/threads/:thread_id/commands": asksItself,
    "POST /mcp": asksItself,
    "POST /a2a/:assistant_id": talksToAssistant,
    "GET /a2a/:assistant_id/.well-known/agent-card.json": talksToAssistant,
    "GET /.well-known/agent-card.json": talksToAssistant,
    ...assistantRules,
    ...threadRules,
    ...runRules,
    ...storeRules,
  }),
);

/** Whether a route says what its callers must be allowed to do. */
export const hasRule = (method: string, path: string): boolean => RULES.has(`${method} ${path}`);

/**
 * What a user may do at a route. One without a rule is closed: a new route must not be open by oversight.
 * @throws Denied and whatever the rule throws
 */
export async function permitAt(
  guard: Guard,
  { method, path }: { method: string; path: string },
  asked: Asked,
): Promise<Permit> {
  const rule = RULES.get(`${method} ${path}`);
  if (!rule) throw new Denied("Not authorized");
  return rule(guard, asked);
}
