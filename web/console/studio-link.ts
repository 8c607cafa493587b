import { changedQuery } from "./data/index.ts";

type StudioPlace = {
  /** In front of the Agent Server's paths: empty, or `/d/<id>`. */
  base: string;
  threadId: string;
  checkpointId?: string | undefined;
  /** As metadata has it: of the run, or of the thread's last one. */
  assistantId: unknown;
};

/** Where the studio shows a thread, with a checkpoint of it opened. */
export function studioHref({ base, threadId, checkpointId, assistantId }: StudioPlace): string {
  const query = changedQuery("", {
    at: decodeURIComponent(base.replace(/^\/d\//, "")),
    assistant: typeof assistantId === "string" ? assistantId : null,
    thread: threadId,
    checkpoint: checkpointId ?? null,
  });
  return `/studio${query}`;
}
