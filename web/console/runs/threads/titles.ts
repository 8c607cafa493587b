import { textOf } from "../trace/index.ts";
import { WORDS } from "../words.tsx";
import type { FoundThread, Titles } from "./threads.ts";

/** What it was named, else how it began, else its id. */
export function titleOf(
  { thread_id, extracted }: Pick<FoundThread, "thread_id" | "extracted">,
  titles: Titles | undefined,
): string {
  return titles?.get(thread_id) || oneLine(extracted?.first) || WORDS.threadNamed(thread_id.slice(-12));
}

const LONGEST = 300;

export const oneLine = (content: unknown) => textOf(content).slice(0, LONGEST).replaceAll(/\s+/g, " ").trim();
