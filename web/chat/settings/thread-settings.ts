import type { Assistant, ThreadSummary } from "@berth/server";
import { useCallback, useMemo, useState } from "react";
import { recall, remember } from "../../api/index.ts";
import type { RunSettings } from "../../thread/index.ts";

/** What was chosen for one conversation, as this browser remembers it. */
export type Chosen = {
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
