import { isRecord } from "../record.ts";

const ROOTS = ["values", "metadata", "config", "interrupts"] as const;
const STEP = /\.([^.[\]]+)|\[(-?\d{1,9})\]/y;

/** Keys and indices that lead from a thread to a part of it; a negative index counts from the end. */
export type ExtractPath = { root: (typeof ROOTS)[number]; steps: (string | number)[] };

/** Reads `values.messages[-1].content`; undefined when the text is no such path. */
export function parseExtractPath(text: string): ExtractPath | undefined {
  const root = ROOTS.find(
    (name) => text === name || text.startsWith(`${name}.`) || text.startsWith(`${name}[`),
  );
  if (!root) return undefined;
  const steps: (string | number)[] = [];
  STEP.lastIndex = root.length;
  while (STEP.lastIndex < text.length) {
    const step = STEP.exec(text);
    if (!step) return undefined;
    steps.push(step[1] ?? Number(step[2]));
  }
  return { root, steps };
}

/** The part of a thread that a path leads to; null where there is none. */
export function extract(thread: Partial<Record<ExtractPath["root"], unknown>>, path: ExtractPath): unknown {
  let part: unknown = thread[path.root];
  for (const step of path.steps) {
    if (typeof step === "number") part = Array.isArray(part) ? part.at(step) : undefined;
    else part = isRecord(part) && Object.hasOwn(part, step) ? part[step] : undefined;
  }
  return part ?? null;
}
