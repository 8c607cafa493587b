/** What any Agent Server is asked for when the chat wants to know whom one can talk to. */
export const ASSISTANTS_ASKED = { limit: 100, sort_by: "created_at", sort_order: "asc" } as const;

/** Of an assistant, what its place in the list depends on. */
type Listed = { metadata?: Record<string, unknown> | null | undefined };

/** Assistants as the chat offers them: those that the server made for its graphs first, else as they came. */
export function offered<Kind extends Listed>(assistants: readonly Kind[]): Kind[] {
  return assistants.toSorted((a, b) => Number(isOfServer(b)) - Number(isOfServer(a)));
}

const isOfServer = ({ metadata }: Listed) => metadata?.created_by === "system";
