/** One server-sent event as a client hands it on. */
export type Part = { id?: string; event: string; data: unknown };

/** The clients type some ids as unknown. */
type Given = { id?: unknown; event: string; data: unknown };

/** Reads a stream to its end. */
export async function collect(stream: AsyncIterable<Given>): Promise<Part[]> {
  const parts: Part[] = [];
  for await (const part of stream) parts.push(part as Part);
  return parts;
}

export const eventNames = (parts: Part[]): string[] => parts.map(({ event }) => event);

/** The names that occur, each once, sorted. */
export const eventSet = (parts: Part[]): string[] => [...new Set(eventNames(parts))].sort();

/** What the events of one name say, in order. */
export function dataOf<T>(parts: Part[], event: string): T[] {
  return parts.filter((part) => part.event === event).map((part) => part.data as T);
}

/** The id of the run that a stream is of: its first event says so. */
export function runIdOf(parts: Part[]): string {
  const [first] = dataOf<{ run_id: string }>(parts, "metadata");
  if (!first) throw new Error("the stream has no metadata event");
  return first.run_id;
}

/** One item, or an error that says there is none. */
export function present<T>(value: T | null | undefined, what = "value"): T {
  if (value === null || value === undefined) throw new Error(`there is no ${what}`);
  return value;
}

/** The last event of a run that was cancelled, but for its id. */
export const told = (message: string) => ({ event: "error", data: { error: "Error", message } });
