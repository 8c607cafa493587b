import type { SpanNote } from "../project/index.ts";
import { errorOf, type PythonFault } from "../python/index.ts";
import { endOf } from "./error-facts.ts";
import type { LiveSpan, RunTrace, SpanEnd, SpanStart, TokenUsage } from "./run-trace.ts";

type NotedEnd = Pick<SpanEnd, "status" | "outputs" | "metadata"> & {
  usage?: (number | null | undefined)[];
  fault?: PythonFault;
};

/** Writes down the spans of a run whose graph is in another process, as that one tells of them. */
export function foreignSpans(trace: RunTrace): (note: SpanNote) => void {
  const open = new Map<string, LiveSpan>();
  return (note) => {
    if (note.of === "begin") {
      const parent = (note.parent !== null && open.get(note.parent)) || trace.root;
      const span = trace.begin(parent, note.start as SpanStart, note.span);
      if (span) open.set(note.span, span);
      return;
    }
    const span = open.get(note.span);
    if (!span) return;
    if (note.of === "firstToken") {
      trace.firstToken(span);
      return;
    }
    open.delete(note.span);
    trace.end(span, endOfNote(note.end as NotedEnd));
  };
}

function endOfNote({ fault, usage, ...end }: NotedEnd): SpanEnd {
  if (fault) return endOf(errorOf(fault));
  return { ...end, usage: usage && tokenUsage(usage) };
}

function tokenUsage([input = null, output = null, total = null]: (number | null | undefined)[]): TokenUsage {
  return { input, output, total };
}
