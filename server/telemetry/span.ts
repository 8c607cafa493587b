import type { SpanContext } from "./span-context.ts";

/** A span as it is exported. */
export type ExportedSpan = {
  name: string;
  kind: "internal" | "server" | "client";
  context: SpanContext;
  parent: SpanContext | undefined;
  /** Milliseconds since 1970. */
  startedAt: number;
  endedAt: number;
  /** What is undefined is left out. */
  attributes: Readonly<Record<string, string | number | boolean | string[] | undefined>>;
  /** Why it failed; undefined where it did not. */
  failure?: string | undefined;
};
