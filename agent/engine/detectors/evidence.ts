import type { Span, WholeTrace } from "@berth/store";
import { isRecord } from "../../record.ts";
import type { Facts } from "../fingerprint/index.ts";

/** What one detector saw in one trace. */
export type Observation = {
  detector: string;
  /** As the program named it; null where there is no error. */
  error_type: string | null;
  node: string | null;
  tool: string | null;
  /** As it was written; the fingerprint takes out what varies. */
  message: string;
  /** A sentence for people. */
  reason: string;
  /** The span that shows it. */
  run_id: string;
  /** What the program said of the error beside its type and message. */
  facts?: Facts | undefined;
};

/** A trace as detectors look at it: its spans as a tree, their bodies read when somebody asks. */
export class Evidence {
  readonly root: Span | undefined;
  readonly #byId: ReadonlyMap<string, Span>;
  readonly #children: ReadonlyMap<string | null, Span[]>;
  readonly #outputs = new Map<string, unknown>();

  constructor(readonly whole: WholeTrace) {
    const { spans, trace } = whole;
    this.#byId = new Map(spans.map((span) => [span.id, span]));
    this.#children = Map.groupBy(spans, ({ parent_id }) => parent_id);
    this.root = this.#byId.get(trace.id) ?? spans[0];
  }

  get spans(): readonly Span[] {
    return this.whole.spans;
  }

  children(span: Span): readonly Span[] {
    return this.#children.get(span.id) ?? [];
  }

  parent(span: Span): Span | undefined {
    return span.parent_id === null ? undefined : this.#byId.get(span.parent_id);
  }

  /** What came out of a span; undefined when it is not there, or was cut. */
  outputs(span: Span): unknown {
    if (!this.#outputs.has(span.id)) this.#outputs.set(span.id, parsed(span.outputs));
    return this.#outputs.get(span.id);
  }

  /** Where in the graph a span is; outside of LangGraph, the step that it is itself. */
  node(span: Span): string | null {
    for (let at: Span | undefined = span; at; at = this.parent(at)) if (at.node !== null) return at.node;
    return span.id === this.root?.id || span.run_type !== "chain" ? null : span.name;
  }

  /** The tool that a span is, or is in. */
  tool(span: Span): string | null {
    for (let at: Span | undefined = span; at; at = this.parent(at))
      if (at.run_type === "tool") return at.name;
    return null;
  }

  /** "In the node tools, the tool search", for sentences. */
  place(span: Span): string {
    const tool = this.tool(span);
    const node = this.node(span);
    if (tool !== null) return node === null ? `The tool ${tool}` : `The tool ${tool}, in the node ${node},`;
    if (span.run_type === "llm") return node === null ? "A model call" : `A model call in the node ${node}`;
    return node === null ? "The run" : `The node ${node}`;
  }
}

/** JSON of a body; undefined for one that was cut. */
export function parsed(text: string | null): unknown {
  if (text === null) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && "__cut__" in value ? undefined : value;
  } catch {
    return undefined;
  }
}
