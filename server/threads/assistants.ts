import { type Agent, runnableAssistants } from "@berth/agent";
import { Type } from "@sinclair/typebox";
import { chatList } from "../access/index.ts";
import { ShownAssistant, shownAssistant } from "../agent/index.ts";
import { assistantRules } from "../authorization/index.ts";
import { json, type Operation, operation } from "../http/index.ts";

/** Nobody chooses among more. */
const MOST = 1_000;

/** `/api/assistants`: whom a conversation may be held with. */
export const chatAssistantRoutes = (deps: Pick<Agent, "assistants" | "project">): Operation[] => [
  operation(
    {
      method: "GET",
      path: "/api/assistants",
      access: chatList(assistantRules.find),
      bodyLimit: "none",
      tag: "Chat",
      summary: "List the assistants that the caller may use",
      description:
        "Those that the caller may find, and the graphs' own, which everybody may run; at most 1,000, oldest first.",
      answers: { 200: { description: "The assistants", schema: Type.Array(ShownAssistant) } },
    },
    async ({ permit }) => json((await runnableAssistants(deps, permit.seen, MOST)).map(shownAssistant)),
  ),
];
