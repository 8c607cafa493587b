import type { Assistant } from "@berth/server";
import { objectFault, readObject } from "../ui/index.ts";

/** What a form of an assistant holds. */
export type AssistantDraft = {
  graph_id: string;
  name: string;
  description: string;
  context: string;
  config: string;
  metadata: string;
};

const JSON_FIELDS = ["context", "config", "metadata"] as const;

const shown = (value: object): string =>
  Object.keys(value).length === 0 ? "" : JSON.stringify(value, null, 2);

/** An assistant as its form begins; without one, a new one. */
export function draftOf(assistant: Assistant | undefined): AssistantDraft {
  return {
    graph_id: assistant?.graph_id ?? "",
    name: assistant?.name ?? "",
    description: assistant?.description ?? "",
    context: shown(assistant?.context ?? {}),
    config: shown(assistant?.config ?? {}),
    metadata: shown(assistant?.metadata ?? {}),
  };
}

/** Whether it can be sent. */
export const isReady = (draft: AssistantDraft): boolean =>
  draft.graph_id !== "" &&
  draft.name.trim() !== "" &&
  JSON_FIELDS.every((field) => objectFault(draft[field]) === undefined);

/** The body that makes it, or a new version of it. */
export function bodyOf(draft: AssistantDraft) {
  const { graph_id, name, description } = draft;
  return {
    ...{ graph_id, name: name.trim(), description: description.trim() || null },
    context: readObject(draft.context),
    config: readObject(draft.config),
    metadata: readObject(draft.metadata),
  };
}
