import type { Assistant, ThreadSummary } from "@berth/server";
import { useCallback, useMemo, useState } from "react";
import { type AssistantSchemas, RequestFailed, recall, remember } from "../../api/index.ts";
import { useResource } from "../../data/index.ts";
import { fieldsOf, settingFields } from "../../form/index.ts";
import { offered, useSource } from "../../source/index.ts";
import type { RunSettings } from "../../thread/index.ts";
import { WORDS } from "../words.tsx";

/** What was chosen for one conversation, as this browser remembers it. */
type Chosen = {
  assistantId?: string;
  context?: Record<string, unknown>;
  configurable?: Record<string, unknown>;
};

const LAST_ASSISTANT = "assistant";

/**
 * A conversation's assistant and settings: what was chosen for it here, else the assistant that it was held with,
 * else for a new one the assistant that was chosen last.
 */
export function useThreadSettings(
  threadId: string,
  isDraft: boolean,
  thread: ThreadSummary | undefined,
  assistants: readonly Assistant[] | undefined,
) {
  const [all, setAll] = useState<Record<string, Chosen>>({});
  const chosen = useMemo(() => all[threadId] ?? recall<Chosen>(`thread.${threadId}`) ?? {}, [all, threadId]);
  const known = (id: string | null | undefined) =>
    assistants?.find(({ assistant_id }) => assistant_id === id);
  const own = known(chosen.assistantId) ?? known(thread?.assistant_id);
  // Of an older conversation that is not in the list, the server knows the assistant.
  const assistant = own ?? (isDraft ? (known(recall<string>(LAST_ASSISTANT)) ?? assistants?.[0]) : undefined);

  const choose = useCallback(
    (change: Chosen) => {
      const next = { ...chosen, ...change };
      remember(`thread.${threadId}`, next);
      if (change.assistantId) remember(LAST_ASSISTANT, change.assistantId);
      setAll((before) => ({ ...before, [threadId]: next }));
    },
    [chosen, threadId],
  );
  const settings: RunSettings = useMemo(
    () => ({
      assistantId: assistant?.assistant_id,
      context: chosen.context ?? {},
      configurable: chosen.configurable ?? {},
    }),
    [assistant, chosen],
  );
  return { assistant, settings, choose };
}

/**
 * The assistants that the reader may talk to, those that the server made for its graphs first, then by age; read
 * again when the reader comes back, since they may have been changed. Without them the server still chooses its first
 * one, so a failure is no reason to stop.
 */
export function useAssistants(): readonly Assistant[] | undefined {
  const { path, body } = useSource().assistantsAt;
  const { data } = useResource<readonly Assistant[]>(path, { onReturn: true, ...(body && { body }) });
  return useMemo(() => data && offered(data), [data]);
}

/**
 * What an assistant's graph declares, why that could not be read, or nothing yet. `ask` asks for it: to find it out
 * may cost the server a look at the types of a whole project, so nobody asks without a reason.
 */
export function useSchemas(assistantId: string | undefined) {
  const [isWanted, setWanted] = useState(false);
  const isAsked = isWanted && assistantId !== undefined;
  const { data, error } = useResource<AssistantSchemas>(
    isAsked ? `/assistants/${assistantId}/schemas` : null,
  );
  const ask = useCallback(() => setWanted(true), []);
  return { schemas: data ?? error, ask };
}

/** What a graph takes that takes no messages; undefined for one that does, and while it is not known. */
export function otherInput(
  schemas: AssistantSchemas | Error | undefined,
): Record<string, unknown> | undefined {
  const schema = schemas instanceof Error ? undefined : schemas?.input_schema;
  if (!schema) return undefined;
  const takesMessages = fieldsOf(schema).some(({ name, kind }) => name === "messages" || kind === "messages");
  return takesMessages ? undefined : schema;
}

/** The assistant that a new conversation begins with. */
export const rememberAssistant = (assistantId: string): void => remember(LAST_ASSISTANT, assistantId);

/** Why there is certainly nothing to choose; undefined while there may be. */
export function whyNoSettings(schemas: AssistantSchemas | Error | undefined): string | undefined {
  if (schemas instanceof RequestFailed && [403, 404].includes(schemas.status)) return WORDS.settingsForbidden;
  if (!schemas || schemas instanceof Error) return undefined;
  const { context, configurable } = settingFields(schemas);
  return context.length + configurable.length === 0 ? WORDS.noSettings : undefined;
}
