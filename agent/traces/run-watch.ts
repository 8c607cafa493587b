import { bodyText } from "./body-text.ts";
import type { LiveSpan, SpanEnd } from "./live-span.ts";

/** Somebody who wants to know what runs do as they do it. Is asked in their way: has to be quick. */
export type RunWatch = {
  /** A run was asked for, by whatever is going on right now. */
  created(runId: string): void;
  /** Something that a run did is over; what it was part of comes later. */
  ended(span: EndedSpan): void;
};

type Facts = "id" | "name" | "runType" | "node" | "metadata" | "startedAt" | "firstTokenAt";

/** A span that is over; its inputs and outputs are JSON that is made when it is asked for. */
export type EndedSpan = Pick<LiveSpan, Facts> &
  Pick<SpanEnd, "status" | "error" | "usage"> & {
    runId: string;
    threadId: string;
    /** Undefined for the run itself. */
    parentId: string | undefined;
    endedAt: number;
    inputs(): string;
    outputs(): string | undefined;
  };

/** A span as those see it who watch; undefined while it goes on. */
export function endedSpan(run: { id: string; threadId: string }, span: LiveSpan): EndedSpan | undefined {
  const { end, endedAt } = span;
  if (end === undefined || endedAt === undefined) return undefined;
  const { id, name, runType, node, startedAt, firstTokenAt } = span;
  return {
    ...{ id, name, runType, node, startedAt, firstTokenAt, endedAt },
    ...{ runId: run.id, threadId: run.threadId, parentId: span.parent?.id },
    ...{ status: end.status, error: end.error, usage: end.usage },
    metadata: { ...span.metadata, ...end.metadata },
    inputs: () => bodyText(span.inputs),
    outputs: () => (end.outputs === undefined ? undefined : bodyText(end.outputs)),
  };
}
